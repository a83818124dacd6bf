/**
 * How callers come: one after the other, or many at once. Imported by the subjects about storages.
 */
export const IN_FLIGHT = 64

export const oneByOne = (work) => async (n) => {
  for (let i = 0; i < n; i++) await work()
}

/** Each begins its next one as soon as it has ended: as callers do who know nothing of each other. */
export const together = (work) => async (n) => {
  let left = n * IN_FLIGHT
  const caller = async () => {
    while (left-- > 0) await work()
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller))
}

/** A bounded number at a time. */
export async function each(count, atOnce, work) {
  let next = 0
  const worker = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
