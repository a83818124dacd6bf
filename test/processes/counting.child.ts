/**
 * Counts in a store in which other processes count too, up to a fixed number. Started by counting.slow.test.ts.
 */
import type { Op } from '../../src/index.ts'
import { childArguments, send } from '../fixtures/child-side.ts'
import type { StoreAt } from '../fixtures/store-at.ts'
import { openStorage } from './where.ts'

export interface CountingArguments {
  readonly where: StoreAt
  readonly name: string
  readonly counters: number
  readonly each: number
}

/** The report of each count: the counter, and the index of its log record. */
export type Counted = readonly [counter: string, index: number]

const { where, name, counters, each } = childArguments<CountingArguments>()
const { storage, close } = openStorage(where)

async function count(counter: string, id: string): Promise<Counted> {
  for (let attempt = 1; ; attempt++) {
    const entry = await storage.get(counter)
    const value = Buffer.from(String(Number(entry ? Buffer.from(entry.value).toString() : 0) + 1))
    const ops: Op[] = [
      { op: 'put', key: counter, value, expect: entry?.version ?? 0 },
      { op: 'append', log: `log/${counter}`, value: Buffer.from(name) },
    ]
    const verdict = await storage.commit(ops, `${id} ${attempt}`)
    if (verdict.ok) return [counter, verdict.appended[0]!]
  }
}

const lane = async (counter: string): Promise<void> => {
  for (let n = 0; n < each; n++) send(await count(counter, `${name} ${counter} ${n}`))
}
await Promise.all(Array.from({ length: counters }, (_, i) => lane(`counter/${i}`)))
await close()
