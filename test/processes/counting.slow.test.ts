/** Several processes count in one store. They all start on an empty store; one is killed and one is paused. */
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { startChild } from '../fixtures/child.ts'
import { compiled } from '../fixtures/compiled.ts'
import { PLACES } from '../fixtures/places.ts'
import type { Counted, CountingArguments } from './counting.child.ts'
import { openStorage } from './where.ts'

const COUNTERS = 3
const EACH = 40
const PROGRAM = 'test/processes/counting.child.ts'

beforeAll(() => {
  compiled(PROGRAM)
})

describe.each(PLACES)('processes that increment counters on one $name', ({ missing, open }) => {
  const unless = missing ? ` (${missing})` : ''

  it.skipIf(missing)(`lose no increment when one process is killed and another is paused${unless}`, async () => {
    const { where, remove } = await open()
    const start = (name: string) =>
      startChild(PROGRAM, { where, name, counters: COUNTERS, each: EACH } satisfies CountingArguments)
    const counts: Counted[] = []
    const collect = async (child: ReturnType<typeof start>, onCount: (count: number) => void = () => {}): Promise<void> => {
      let count = 0
      for await (const counted of child.messages) {
        counts.push(counted as Counted)
        onCount(++count)
      }
    }
    const [killed, paused, steady, otherChild] = [start('killed'), start('paused'), start('steady'), start('other')]
    const pause = async (): Promise<void> => {
      paused.pause()
      await sleep(1000)
      paused.resume()
    }
    let pausing: Promise<void> | undefined
    await Promise.all([
      collect(killed, (count) => count === 30 && killed.kill()),
      collect(paused, (count) => {
        if (count === 30) pausing = pause()
      }),
      collect(steady),
      collect(otherChild),
    ])
    await pausing
    expect(await Promise.all([killed, paused, steady, otherChild].map(({ ended }) => ended))).toEqual([
      'killed',
      'done',
      'done',
      'done',
    ])

    const { storage, close } = openStorage(where)
    for (let i = 0; i < COUNTERS; i++) {
      const counter = `counter/${i}`
      const records = await storage.scan(`log/${counter}/`)
      const indexes = counts.filter(([name]) => name === counter).map(([, index]) => index)
      // The killed process may have stored its last count of a counter without reporting it.
      expect(new Set(indexes).size).toBe(indexes.length)
      expect(records.length - indexes.length).toBeOneOf([0, 1])
      const counted = await storage.get(counter)
      expect(Buffer.from(counted!.value).toString()).toBe(String(records.length))
      const by = (name: string): number => records.filter(({ value }) => Buffer.from(value).toString() === name).length
      expect([by('paused'), by('steady'), by('other')]).toEqual([EACH, EACH, EACH])
    }
    await close()
    await remove()
  })
})
