/** Batches without a timer: flush at once, one flush in flight, collect while it runs; answers come in their order. */
export function selfClocking<Item, Result>(flush: (items: Item[]) => Promise<readonly Result[]>, itemsMax: number) {
  const queue: { item: Item; resolve(result: Result): void; reject(error: unknown): void }[] = []
  let running = false

  const run = async () => {
    running = true
    await new Promise(setImmediate)
    while (queue.length > 0) {
      const batch = queue.splice(0, itemsMax)
      try {
        const results = await flush(batch.map(({ item }) => item))
        batch.forEach(({ resolve }, index) => {
          resolve(results[index] as Result)
        })
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    running = false
  }

  return (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject })
      if (!running) void run()
    })
}
