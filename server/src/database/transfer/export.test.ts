/** An export depends on the mark in the database and on the folder, and no combination exports twice. */
import { describe, expect, test } from 'vitest'
import type { Move, MoveState } from '../tables/installation/installation.ts'
import { nextStep } from './export.ts'
import type { ExportFolder, Header, Manifest } from './manifest.ts'

const path = '/moves/one'
const move = (state: MoveState, exportId = 'a'): Move => ({
  ...{ state, exportId, folder: path, host: 'host', at: 0, steps: 0 },
})
const header = (id: string, keep = false): Header => ({
  ...{ format: 1, id, keep, created: 0, host: 'host', postgres: '18', secretKey: '' },
  schema: { version: 1, name: 'initial' },
})
const empty: ExportFolder = { path, chunks: [] }
const unfinished = (id: string, keep?: boolean): ExportFolder => ({ path, chunks: [], header: header(id, keep) })
const finished = (id: string): ExportFolder => ({ ...unfinished(id), manifest: {} as Manifest })

describe('an export', () => {
  test.each<[string, Move | undefined, ExportFolder, string]>([
    ['starts for an installation that was never moved', undefined, empty, 'start'],
    ['starts for an imported installation', move('imported'), empty, 'start'],
    ['starts again after a kill between the mark and the first file', move('exporting'), empty, 'start'],
    ['continues', move('exporting'), unfinished('a'), 'continue'],
    ['finds that only the mark is missing', move('exporting'), finished('a'), 'finished'],
    ['finds everything done', move('exported'), finished('a'), 'finished'],
  ])('%s', (_title, mark, folder, step) => expect(nextStep(mark, folder, false)).toBe(step))

  test.each<[string, Move | undefined, ExportFolder, string]>([
    ['into another folder', { ...move('exporting'), folder: '/moves/two' }, empty, 'Continue in that folder'],
    ['once more', move('exported'), empty, 'was exported to'],
    ['over another one', undefined, finished('b'), 'finished export already'],
    ['over that of another installation', move('exporting'), unfinished('b'), 'of another installation'],
    ['that was abandoned', undefined, unfinished('a'), 'was abandoned'],
    ['over an unfinished copy', undefined, unfinished('a', true), 'may have changed since'],
    ['of what is half imported', move('importing'), empty, 'is not finished'],
    ['of what is not taken over yet', move('verified'), empty, 'is not finished'],
  ])('%s is refused', (_title, mark, folder, words) => expect(() => nextStep(mark, folder, false)).toThrow(words))

  test('an export with --keep never replaces one that moves the installation', () => {
    expect(() => nextStep(move('exporting'), empty, true)).toThrow('was exported to')
    expect(nextStep(undefined, empty, true)).toBe('start')
  })
})
