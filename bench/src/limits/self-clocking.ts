/** Batches without a timer: flush at once, one flush in flight, collect while it runs. */
export function selfClocking<Item>(flush: (items: Item[]) => Promise<void>, itemsMax: number) {
  const queue: { item: Item; resolve(): void; reject(error: unknown): void }[] = []
  let running = false

  const run = async () => {
    running = true
    await new Promise(setImmediate)
    while (queue.length > 0) {
      const batch = queue.splice(0, itemsMax)
      try {
        await flush(batch.map(({ item }) => item))
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    running = false
  }

  return (item: Item): Promise<void> =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject })
      if (!running) void run()
    })
}
