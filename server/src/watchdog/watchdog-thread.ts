/** The watchdog's thread: samples the main thread. */
import { workerData } from 'node:worker_threads'
import { readActivity } from '../base/activity.ts'
import { createObserver, SAMPLE_MS, type WatchdogData } from './watchdog.ts'

const { memory } = workerData as WatchdogData

// A monotonic clock: the system time can be changed.
const observe = createObserver(performance.now())
setInterval(() => {
  // Log and driver are loaded by the first finding: a service that never stalls starts without them.
  for (const finding of observe(readActivity(memory), performance.now()))
    void import('./findings.ts').then(({ act }) => act(finding))
}, SAMPLE_MS)
