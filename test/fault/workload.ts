/**
 * A piece of work that meets everything a key's life has, as steps that can be told apart after a crash.
 */
import type { Kernel } from '../../src/index.ts'
import type { FakeClock } from '../../src/testing/index.ts'

export interface Made {
  readonly name: string
  readonly ciphertext: string
  readonly plaintext: Uint8Array
}

export interface World {
  readonly kernel: Kernel
  readonly clock: FakeClock
  /** Every ciphertext that was handed out. */
  readonly made: Made[]
  /** Keys whose deletion was asked for: from then on nobody may rely on what they made. */
  readonly doomed: Set<string>
}

export interface Step {
  readonly name: string
  run(world: World): Promise<unknown>
}

/** More versions than two commits of a deletion remove. */
export const MANY_VERSIONS = 70
export const HOUR = 3_600_000
/** What a kernel waits before it takes over a claim of one that died. */
export const TAKEOVER = 31_000

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

async function encrypt({ kernel, made }: World, name: string, more: object = {}): Promise<void> {
  const plaintext = utf8(`plaintext ${made.length} of ${name}`)
  const { ciphertext } = await kernel.transit.encrypt({ name, plaintext, ...more })
  made.push({ name, ciphertext, plaintext })
}

async function encryptBatch({ kernel, made }: World, name: string, count: number): Promise<void> {
  const plaintexts = Array.from({ length: count }, (_, index) => utf8(`item ${index} of ${name}`))
  const { batch_results } = await kernel.transit.encryptBatch({
    name,
    batch_input: plaintexts.map((plaintext) => ({ plaintext })),
  })
  for (const [index, result] of batch_results.entries()) {
    if (result.error) throw result.error
    made.push({ name, ciphertext: result.ciphertext, plaintext: plaintexts[index]! })
  }
}

const create = (name: string, options: { type?: string; derived?: boolean; auto_rotate_period?: string } = {}): Step => ({
  name: `create ${name}`,
  run: ({ kernel }) => kernel.transit.createKey({ name, ...options }),
})
const rotate = (name: string): Step => ({ name: `rotate ${name}`, run: ({ kernel }) => kernel.transit.rotateKey({ name }) })
const use = (name: string): Step => ({ name: `encrypt under ${name}`, run: (world) => encrypt(world, name) })
const remove = (name: string): Step => ({
  name: `delete ${name}`,
  run: ({ kernel, doomed }) => {
    doomed.add(name)
    return kernel.transit.deleteKey({ name })
  },
})
export const TICK: Step = {
  name: 'tick',
  run: async ({ kernel }) => {
    const { failed } = await kernel.tick()
    if (failed[0]) throw failed[0].error
  },
}
const pass = (ms: number): Step => ({ name: 'let time pass', run: ({ clock }) => clock.advance(ms) })

/** What is there before the work begins: a key with too many versions to delete at once. */
export const SETUP: readonly Step[] = [
  create('aged'),
  use('aged'),
  ...Array.from({ length: MANY_VERSIONS - 1 }, () => rotate('aged')),
  use('aged'),
  { name: 'allow', run: ({ kernel }) => kernel.transit.configureKey({ name: 'aged', deletion_allowed: true }) },
]

export const WORK: readonly Step[] = [
  create('aes'),
  create('chacha', { type: 'chacha20-poly1305', auto_rotate_period: '1h' }),
  create('signer', { type: 'ed25519' }),
  create('curve', { type: 'ecdsa-p256' }),
  create('mac', { type: 'hmac', auto_rotate_period: '1h' }),
  use('aes'),
  use('chacha'),
  rotate('aes'),
  use('aes'),
  rotate('signer'),
  {
    name: 'configure aes',
    run: ({ kernel }) => kernel.transit.configureKey({ name: 'aes', min_encryption_version: 2, auto_rotate_period: '2h' }),
  },
  use('made-at-once'),
  { name: 'a batch that makes its key', run: (world) => encryptBatch(world, 'made-by-batch', 5) },
  { name: 'settings', run: ({ kernel }) => kernel.transit.configureKeys({ disable_upsert: true }) },
  remove('aged'),
  TICK,
  pass(HOUR + HOUR / 6),
  TICK,
  use('chacha'),
  pass(HOUR),
  TICK,
  {
    name: 'configure chacha',
    run: ({ kernel }) => kernel.transit.configureKey({ name: 'chacha', deletion_allowed: true, auto_rotate_period: 0 }),
  },
  remove('chacha'),
  { name: 'create aged anew', run: ({ kernel }) => kernel.transit.createKey({ name: 'aged' }) },
  rotate('mac'),
]

/** What users see of every key, without the times that a restart shifts. */
export async function snapshot(kernel: Kernel): Promise<Readonly<Record<string, unknown>>> {
  const { keys: names } = await kernel.transit.listKeys({})
  const shown: Record<string, unknown> = { settings: await kernel.transit.readKeysConfig({}) }
  for (const name of names) {
    // Counts of encryptions may be higher after a crash; that they are never lower has its own test.
    const { keys, encryptions: _, ...record } = await kernel.transit.readKey({ name })
    shown[name] = { ...record, versions: Object.keys(keys) }
  }
  return shown
}
