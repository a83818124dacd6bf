/** Single faults in the store of an open kernel: in records, and in the tree at every level. */
import type { KernelInternals } from '../../../src/core/kernel/assemble.ts'
import type { MemoryStorage } from '../../../src/index.ts'
import { PERFORMANCE } from '../../../src/sys/replication/state/replication-kind.ts'

export interface Fault {
  readonly what: string
  readonly key: string
  /** Undefined: the record is deleted. */
  readonly value: Uint8Array | undefined
}

/** A kernel that cannot read its mounts answers no requests. */
const MOUNTS = 'r/core/mount/'

let commits = 0

export const write = (storage: MemoryStorage, key: string, value: Uint8Array | undefined): Promise<unknown> =>
  storage.commit([value ? { op: 'put', key, value } : { op: 'del', key }], `behind its back ${++commits}`)

const LEVELS = ['bucket', 'page', 'root'] as const

/**
 * Returns a fault of each kind in turn.
 * @param before Earlier values by key, of records that have changed since and of some that were deleted.
 */
export async function faultOf(
  nth: number,
  storage: MemoryStorage,
  { host }: Pick<KernelInternals, 'host'>,
  before: ReadonlyMap<string, Uint8Array>,
): Promise<Fault> {
  const turn = Math.floor(nth / KINDS.length)
  const pick = <T>(all: readonly T[]): T => {
    const found = all[turn % all.length]
    if (found === undefined) throw new Error('there is nothing to be changed')
    return found
  }
  const records = (await storage.scan('r/')).filter(({ key }) => !key.startsWith(MOUNTS))
  const stored = new Map(records.map(({ key, value }) => [key, value]))
  const kind = KINDS[nth % KINDS.length] as (typeof KINDS)[number]
  if (kind === 'flipped' || kind === 'taken away') {
    const { key, value } = pick(records)
    return { what: kind, key, value: kind === 'flipped' ? flipped(value, turn) : undefined }
  }
  if (kind === 'other value') {
    const { key } = pick(records)
    const op = host.store.encryptedPut(key, new Uint8Array([1, turn & 255, turn >> 8, nth & 255]), undefined)
    return { what: kind, key, value: op.op === 'put' ? op.value : undefined }
  }
  if (kind === 'put back') {
    const [key, value] = pick([...before].filter(([one, bytes]) => stored.has(one) && !isSame(stored.get(one), bytes)))
    return { what: kind, key, value }
  }
  if (kind === 'come back') {
    const [key, value] = pick([...before].filter(([one]) => !one.startsWith(MOUNTS) && !stored.has(one)))
    return { what: kind, key, value }
  }
  if (kind === 'added') {
    const { key } = pick(records)
    const op = host.store.encryptedPut(`${key}-${turn}`, new Uint8Array([1, 2, 3]), undefined)
    return { what: kind, key: `${key}-${turn}`, value: op.op === 'put' ? op.value : undefined }
  }
  const [level, how] = kind.split(': ') as [string, string]
  const tree = await storage.scan(PERFORMANCE.tree)
  const { key, value } = pick(tree.filter((entry) => entry.key.includes(`/${level}`)))
  if (how === 'gone') return { what: kind, key, value: undefined }
  if (how === 'flipped') return { what: kind, key, value: flipped(value, turn) }
  const [opened] = await host.store.decryptAll([{ key, value, version: 0 }])
  const plain = (opened as { value: Uint8Array }).value.slice()
  // After format and bitmap, so that the record stays well formed and only a hash changes.
  const at = level === 'bucket' ? 21 + (turn % 20) : plain.length - 1 - (turn % 20)
  plain[at] = (plain[at] as number) ^ 1
  const op = host.store.encryptedPut(key, plain, undefined)
  return { what: kind, key, value: op.op === 'put' ? op.value : undefined }
}

/** `changed` encrypts a record with another hash, which is impossible without the keys. */
const KINDS = [
  'flipped',
  'taken away',
  'other value',
  'put back',
  'come back',
  'added',
  ...LEVELS.flatMap((level) => (['flipped', 'gone', 'changed'] as const).map((how) => `${level}: ${how}` as const)),
] as const

const flipped = (value: Uint8Array, nth: number): Uint8Array =>
  value.map((byte, at) => (at === nth % value.length ? byte ^ 1 : byte))

const isSame = (a: Uint8Array | undefined, b: Uint8Array): boolean => a !== undefined && Buffer.from(a).equals(b)
