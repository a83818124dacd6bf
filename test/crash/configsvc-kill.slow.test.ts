/**
 * A process that writes to a configuration service is killed repeatedly. Every acknowledged change is stored, every change in progress is
 * stored completely or not at all, and names and accessors agree with the records that they refer to.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { createConfigService } from '../../src/config-service.ts'
import { startChild } from '../fixtures/child.ts'
import { compiled } from '../fixtures/compiled.ts'
import { checkSound } from '../fixtures/configsvc-records.ts'
import { openStoreAt, type StoreAt } from '../fixtures/store-at.ts'
import type { ChildMessage, Held, Slots, WriterArguments } from './configsvc.child.ts'
import { randomOf } from './lane.ts'
import { STORES_AT } from './stores-at.ts'

/** Writes before a kill, at most a fifth more. */
const MAX_WRITES = 200
const PROGRAM = 'test/crash/configsvc.child.ts'

beforeAll(() => {
  compiled(PROGRAM)
})

/** The reported state: the content of every slot, and the writes in progress. */
class Known {
  readonly slots = new Map<string, Held>()
  readonly underWay = new Map<string, string | undefined>()
  writes = 0

  note(message: ChildMessage): void {
    if (message.type === 'begins') this.underWay.set(message.slot, message.text)
    if (message.type !== 'done') return
    this.writes++
    this.underWay.delete(message.slot)
    this.#hold(message.slot, message.held)
  }

  /** Compares with the stored state, which decides about the writes in progress. */
  settle(there: Slots): void {
    for (const slot of new Set([...this.slots.keys(), ...Object.keys(there), ...this.underWay.keys()])) {
      const [known, found] = [this.slots.get(slot), there[slot]]
      const isAsBegun = this.underWay.has(slot) && found?.text === this.underWay.get(slot)
      if (isAsBegun && known && found) expect([slot, found.id]).toEqual([slot, known.id])
      if (!isAsBegun) expect([slot, found]).toEqual([slot, known])
      this.#hold(slot, found)
    }
    this.underWay.clear()
  }

  #hold(slot: string, held: Held | undefined): void {
    if (held) this.slots.set(slot, held)
    else this.slots.delete(slot)
  }
}

/** The stored state by the names and descriptions that the writer uses. A token has no slot in its name, so it is found by its id. */
async function inspect(at: StoreAt, known: Known): Promise<Slots> {
  const { storage, close } = openStoreAt(at)
  const slots: Record<string, Held> = {}
  const service = await createConfigService({ storage, plaintext: true, acl: { enabled: false } })
  await checkSound(storage)
  for (const kind of ['policies', 'roles'] as const)
    for (const { ID, Name, Description } of await service[kind].list()) {
      const [, slot] = /^(?:policies|roles)-(\d+-\d+)-\d+$/.exec(Name) ?? []
      if (slot === undefined) continue
      expect([Name, slots[`${kind}/${slot}`]]).toEqual([`${kind}-${slot}-${Description}`, undefined])
      slots[`${kind}/${slot}`] = { id: ID, text: Description }
      expect(await service[kind].readByName({ Name: Name.toUpperCase() })).toMatchObject({ ID })
    }
  const byId = new Map([...known.slots].map(([slot, { id }]) => [id, slot]))
  const byText = new Map([...known.underWay].map(([slot, text]) => [text, slot]))
  for (const { AccessorID, Description } of await service.tokens.list()) {
    const slot = byId.get(AccessorID) ?? byText.get(Description)
    if (Description === 'Anonymous Token') continue
    expect([AccessorID, slot]).toEqual([AccessorID, expect.any(String)])
    slots[slot as string] = { id: AccessorID, text: Description }
  }
  await service.close()
  await close()
  return slots
}

describe.each(STORES_AT)('a configuration service on $name', ({ missing, kills, open }) => {
  it.skipIf(missing)(
    `has every acknowledged change after each of ${kills} kills of its process${missing ? ` (${missing})` : ''}`,
    async () => {
      const { where: at, remove } = await open()
      const [known, random] = [new Known(), randomOf(20_261_123)]
      for (let kill = 0; kill < kills; kill++) {
        const writer = startChild(PROGRAM, { at, seed: kill, slots: Object.fromEntries(known.slots) } satisfies WriterArguments)
        const enough = Math.floor((0.2 + random()) * 2 * MAX_WRITES)
        let messageCount = 0
        for await (const message of writer.messages as AsyncIterable<ChildMessage>) {
          known.note(message)
          if (++messageCount === enough) setTimeout(() => writer.kill(), random() * 5)
        }
        expect(await writer.ended).toBe('killed')
        known.settle(await inspect(at, known))
      }
      expect(known.writes).toBeGreaterThan(kills * 40)
      await remove()
    },
  )
})
