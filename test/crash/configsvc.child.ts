/**
 * Writes to a configuration service until it is killed, and reports each write before and after it. Started by configsvc-kill.slow.test.ts.
 */
import { createConfigService } from '../../src/config-service.ts'
import { childArguments, send } from '../fixtures/child-side.ts'
import { openStoreAt, type StoreAt } from '../fixtures/store-at.ts'
import { randomOf } from './lane.ts'

export type Kind = 'policies' | 'roles' | 'tokens'

/** The content of a slot: id, name and description. Undefined if the slot is empty. */
export interface Held {
  readonly id: string
  readonly text: string
}

export type Slots = Readonly<Record<string, Held>>

export interface WriterArguments {
  readonly at: StoreAt
  readonly seed: number
  /** By `<kind>/<slot>`. */
  readonly slots: Slots
}

/** `held` is the content of the slot after the write; absent if it becomes empty. */
export type ChildMessage =
  | { readonly type: 'open' }
  | { readonly type: 'begins'; readonly slot: string; readonly text: string | undefined }
  | { readonly type: 'done'; readonly slot: string; readonly held: Held | undefined }

const KINDS: readonly Kind[] = ['policies', 'roles', 'tokens']
const LANES = 4
const SLOTS = 5

const { at, seed, slots } = childArguments<WriterArguments>()
const report = (message: ChildMessage): void => send(message)

const { storage } = openStoreAt(at)
const service = await createConfigService({ storage, plaintext: true, acl: { enabled: false } })
report({ type: 'open' })

const held = new Map(Object.entries(slots))

async function write(slot: string, random: () => number): Promise<void> {
  const kind = slot.split('/')[0] as Kind
  const before = held.get(slot)
  const text = before && random() < 0.3 ? undefined : `${Math.floor(random() * 1e9)}`
  report({ type: 'begins', slot, text })
  let after: Held | undefined
  if (before && text === undefined) await remove(kind, before.id)
  else after = { id: await put(kind, slot, before?.id, text as string), text: text as string }
  if (after) held.set(slot, after)
  else held.delete(slot)
  report({ type: 'done', slot, held: after })
}

/** Uses another name each time, so that the name records change too. */
async function put(kind: Kind, slot: string, id: string | undefined, text: string): Promise<string> {
  const Name = `${slot.replace('/', '-')}-${text}`
  if (kind === 'tokens') {
    const members = { Description: text }
    const made = id === undefined ? service.tokens.create(members) : service.tokens.update({ AccessorID: id, ...members })
    return (await made).AccessorID
  }
  const members = { Name, Description: text }
  const { ID } = await (id === undefined ? service[kind].create(members) : service[kind].update({ ID: id, ...members }))
  return ID
}

async function remove(kind: Kind, id: string): Promise<void> {
  const gone = await (kind === 'tokens' ? service.tokens.delete({ AccessorID: id }) : service[kind].delete({ ID: id }))
  if (!gone) throw new Error(`${kind} ${id} was not there`)
}

async function lane(number: number): Promise<never> {
  const random = randomOf(seed * 31 + number)
  for (;;) {
    const kind = KINDS[Math.floor(random() * KINDS.length)] as Kind
    await write(`${kind}/${number}-${Math.floor(random() * SLOTS)}`, random)
  }
}

await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)))
