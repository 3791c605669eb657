/** The stations of a message that is watched light up one after the other, however many are read at once. */
import { useEffect, useState } from 'react'
import { type FirstMessage, isOnItsWay } from './first-message.ts'
import { litStations, type Station, stationsOf } from './stages.ts'

/** The longest movement of the design. */
const STEP_MS = 160

const isStill = matchMedia('(prefers-reduced-motion: reduce)')

export function useLitStations(first: FirstMessage | undefined): Station[] {
  const stations = stationsOf(first?.history ?? [], first !== undefined && isOnItsWay(first))
  const reached = stations.filter(({ at }) => at !== undefined).length
  const id = first?.message.id
  // The message that is there when the screen opens was not watched.
  const [lit, setLit] = useState({ id, count: reached })
  const count = lit.id === id ? lit.count : 0
  useEffect(() => {
    if (count >= reached) return
    const light = () => setLit({ id, count: isStill.matches ? reached : count + 1 })
    if (count === 0 || isStill.matches) {
      light()
      return
    }
    const timer = setTimeout(light, STEP_MS)
    return () => clearTimeout(timer)
  }, [id, count, reached])
  return litStations(stations, count)
}
