/**
 * A process that writes config entries is killed repeatedly. An entry and its index of references are stored together or not at all, so an
 * entry can be deleted exactly when a naive check of all entries finds no reference to it.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { createConfigService } from '../../src/config-service.ts'
import type { ConfigEntry } from '../../src/configsvc/entries/operations/fields.ts'
import { startChild } from '../fixtures/child.ts'
import { compiled } from '../fixtures/compiled.ts'
import { type AnyEntry, EntrySet } from '../fixtures/entry-set.ts'
import { openStoreAt, type StoreAt } from '../fixtures/store-at.ts'
import { naiveAccepts } from '../property/configsvc-chains-naive.ts'
import type { EntryWriterArguments } from './config-entries.child.ts'
import { randomOf } from './lane.ts'
import { STORES_AT } from './stores-at.ts'

/** Writes before a kill, at most a fifth more. */
const MAX_WRITES = 100
const PROGRAM = 'test/crash/config-entries.child.ts'
const KINDS = ['service-defaults', 'service-splitter', 'service-resolver', 'jwt-provider', 'service-intentions'] as const
const SERVICES = ['a', 'b', 'c', 'd', 'e', 'f']

beforeAll(() => {
  compiled(PROGRAM)
})

/** Reads all entries and compares whether each can be deleted. @returns How many cannot be deleted, and how many there are. */
async function inspect(at: StoreAt): Promise<{ readonly held: number; readonly all: number }> {
  const { storage, close } = openStoreAt(at)
  const service = await createConfigService({ storage, plaintext: true, acl: { enabled: false } })
  const all: ConfigEntry[] = []
  for (const Kind of KINDS) all.push(...(await service.entries.list({ Kind })))
  const set = new EntrySet(all as unknown as readonly AnyEntry[])
  const nothing: ReadonlySet<string> = new Set()
  expect(naiveAccepts(set.entries, set.entries, SERVICES, nothing)).toBe(true)
  let held = 0
  for (const { Kind, Name } of all) {
    const may = naiveAccepts(set.with([{ delete: { kind: Kind, name: Name } }]).entries, set.entries, SERVICES, nothing)
    const outcome = await service.entries.delete({ Kind, Name, dry_run: true }).catch(({ status }: { status: number }) => status)
    expect([Kind, Name, outcome]).toEqual([Kind, Name, may ? true : 400])
    if (!may) held++
  }
  await service.close()
  await close()
  return { held, all: all.length }
}

describe.each(STORES_AT)('config entries on $name', ({ missing, kills, open }) => {
  it.skipIf(missing)(
    `cannot be deleted while other entries refer to them, even after ${kills} kills of a writing process${missing ? ` (${missing})` : ''}`,
    async () => {
      const { where: at, remove } = await open()
      const random = randomOf(20_261_124)
      const found = { held: 0, all: 0 }
      for (let kill = 0; kill < kills; kill++) {
        const writer = startChild(PROGRAM, { at, seed: kill } satisfies EntryWriterArguments)
        const enough = Math.floor((0.2 + random()) * MAX_WRITES)
        let messageCount = 0
        for await (const _ of writer.messages) if (++messageCount === enough) setTimeout(() => writer.kill(), random() * 5)
        expect(await writer.ended).toBe('killed')
        const { held, all } = await inspect(at)
        found.held += held
        found.all += all
      }
      // Without entries that refer to each other, the test would check nothing.
      expect(found.held).toBeGreaterThan(0)
      expect(found.all).toBeGreaterThan(kills)
      await remove()
    },
  )
})
