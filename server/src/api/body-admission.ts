/** Admits request bodies while there is memory for them: each reserves its bytes before it is read, until its call has ended. */
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { bodyBytesMax } from '@postrider/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { bodyTooLarge, overloaded } from '../base/errors.ts'

/** A body a little too large is read to its end, so that its sender gets the error instead of a broken connection. */
export const bodyReadBytesMax = bodyBytesMax + 1_048_576

/** Parsed, checked, and written into a statement, a body takes up to ten times its bytes: together below half a gigabyte. */
const BYTES_MAX = 48 * 1_048_576
/** Bodies up to this size have a budget of their own: ordinary sends go on while large bodies are refused. */
const SMALL_BYTES = 65_536
const SMALL_BYTES_MAX = 16 * 1_048_576

/** The client went away before its body was read. */
export class ConnectionClosed extends Error {
  override readonly name = 'ConnectionClosed'
}

export interface BodyAdmission {
  /**
   * Keeps the bytes reserved until the work ends, also when the caller has hung up meanwhile. The work on each large
   * body begins in a turn of the event loop of its own, so that other calls run in between.
   */
  during<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T>
}

interface Reservation {
  bytes: number
  isSmall: boolean
  /** The reply is on its way, or the connection is gone. */
  isClosed: boolean
  /** A handler still has the body. */
  isInUse: boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    bodyReservation: Reservation | null
  }
}

export function admitBodies(app: FastifyInstance): BodyAdmission {
  const budget = createBudget()
  app.decorateRequest('bodyReservation', null)
  let lastTurn: Promise<void> = Promise.resolve()

  const nextTurn = () => {
    lastTurn = lastTurn.then(() => new Promise((resolve) => setImmediate(resolve)))
    return lastTurn
  }
  const settle = (reservation: Reservation) => {
    if (reservation.isClosed && !reservation.isInUse) budget.release(reservation)
  }
  const reserve = (request: FastifyRequest, response: ServerResponse, bytes: number): Reservation => {
    const reservation = budget.reserve(bytes)
    request.bodyReservation = reservation
    response.on('close', () => {
      reservation.isClosed = true
      settle(reservation)
    })
    return reservation
  }

  // After the key was checked and before anything is read: a refused body is discarded as it arrives.
  app.addHook('preParsing', (request, reply, payload, done) => {
    const { raw } = request
    const { 'content-length': length, 'transfer-encoding': encoding } = raw.headers
    const { bodyLimit: bytesMax } = request.routeOptions
    // Destroyed while the key was checked, it has emitted its error already: a reader would wait for ever.
    if (payload.destroyed) {
      done(new ConnectionClosed())
      return
    }
    try {
      if (encoding !== undefined) {
        const reservation = reserve(request, reply.raw, 0)
        readChunked(payload, bytesMax, (bytes) => budget.grow(reservation, bytes)).then(
          (bytes) => done(null, Readable.from(bytes, { objectMode: false })),
          (error: Error) => discard(payload, () => done(error)),
        )
        return
      }
      // It is not read.
      if (Number(length) > bytesMax) return done(tooLarge(bytesMax))
      if (length !== undefined) reserve(request, reply.raw, Number(length))
    } catch (error) {
      discard(payload, () => done(error as Error))
      return
    }
    done(null, payload)
  })

  return {
    async during({ bodyReservation: reservation }, work) {
      if (!reservation) return work()
      reservation.isInUse = true
      try {
        if (!reservation.isSmall) await nextTurn()
        return await work()
      } finally {
        reservation.isInUse = false
        settle(reservation)
      }
    },
  }
}

function createBudget() {
  const used = { small: 0, large: 0 }
  const take = (bytes: number, isSmall: boolean) => {
    const [lane, max] = isSmall ? (['small', SMALL_BYTES_MAX] as const) : (['large', BYTES_MAX] as const)
    if (used[lane] + bytes > max) throw overloaded('Too many bytes of bodies are being read')
    used[lane] += bytes
  }
  const release = ({ bytes, isSmall }: Reservation) => {
    used[isSmall ? 'small' : 'large'] -= bytes
  }
  return {
    release,
    reserve(bytes: number): Reservation {
      const isSmall = bytes <= SMALL_BYTES
      take(bytes, isSmall)
      return { bytes, isSmall, isClosed: false, isInUse: false }
    },
    /** For a body that does not say its length beforehand. */
    grow(reservation: Reservation, bytes: number): void {
      const total = reservation.bytes + bytes
      const isSmall = total <= SMALL_BYTES
      if (isSmall === reservation.isSmall) take(bytes, isSmall)
      else {
        take(total, isSmall)
        release(reservation)
      }
      reservation.bytes = total
      reservation.isSmall = isSmall
    },
  }
}

const tooLarge = (bytesMax: number) => bodyTooLarge(Math.min(bytesMax, bodyBytesMax))

/** `grow` throws when there is no memory for the bytes; what follows of the body is discarded then. */
function readChunked(payload: Readable, bytesMax: number, grow: (bytes: number) => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let total = 0
    const finish = (conclude: () => void) => {
      payload.off('data', add).off('end', end).off('error', fail)
      conclude()
    }
    const fail = (error: unknown) => finish(() => reject(error))
    const end = () => finish(() => resolve(Buffer.concat(parts, total)))
    const add = (part: Buffer) => {
      try {
        grow(part.length)
      } catch (error) {
        fail(error)
        return
      }
      parts.push(part)
      total += part.length
      if (total > bytesMax) fail(tooLarge(bytesMax))
    }
    payload.on('data', add).once('end', end).once('error', fail)
  })
}

/**
 * Reads what is left of a refused body: a client that is answered while it still sends, and closes its connection
 * afterwards, would be reset before it has read the reply. As much as a body may have, and no more.
 */
function discard(payload: Readable, done: () => void): void {
  let left = bodyReadBytesMax
  const finish = () => {
    payload.off('data', count).off('end', finish).off('close', finish)
    // The reply is written all the same; the client may have gone.
    payload.on('error', () => {}).resume()
    done()
  }
  const count = (part: Buffer) => {
    left -= part.length
    if (left < 0) finish()
  }
  if (payload.readableEnded || payload.destroyed) {
    finish()
    return
  }
  payload.on('error', () => {})
  payload.on('data', count).once('end', finish).once('close', finish)
}
