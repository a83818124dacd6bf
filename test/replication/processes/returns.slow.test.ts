/**
 * A secondary returns after a downtime without copying everything: by the log, or by a Merkle sync if the log does not go back that far.
 * Counts the transferred bytes.
 */
import { describe, expect, it } from 'vitest'
import { nodeCrypto } from '../../../src/adapters/crypto-node/index.ts'
import {
  createKernel,
  inProcessNetwork,
  type Kernel,
  keySeal,
  memoryStorage,
  type Op,
  type ReplicationTransport,
  type Storage,
} from '../../../src/index.ts'
import { fakeClock } from '../../../src/testing/index.ts'

const SECRETS = 500
const CHANGED = 50
const VALUE = 'v'.repeat(1500)
/** The bytes of a Merkle sync for each differing key, if one in a hundred of 10^4 keys differs, without encryption overhead. */
const TREE_BYTES = 1300

/** Counts the bytes of messages and answers. */
function counting(inner: ReplicationTransport): { readonly transport: ReplicationTransport; bytes: number } {
  const counted = {
    bytes: 0,
    transport: {
      listen: inner.listen,
      async request(address: string, message: Uint8Array, signal: AbortSignal) {
        counted.bytes += message.length
        const answer = await inner.request(address, message, signal)
        counted.bytes += answer.length
        return answer
      },
    },
  }
  return counted
}

/** Records the last size of every written replicated record. */
function noting(inner: Storage): { readonly storage: Storage; readonly sizes: Map<string, number> } {
  const sizes = new Map<string, number>()
  const note = (op: Op): void => {
    if (!('key' in op) || !op.key.startsWith('r/') || op.op === 'check') return
    sizes.set(op.key, op.key.length + (op.op === 'put' ? op.value.length : 0))
  }
  const commit: Storage['commit'] = (ops, id) => {
    for (const op of ops) note(op)
    return inner.commit(ops, id)
  }
  return { storage: { ...inner, commit }, sizes }
}

class Pair {
  readonly clock = fakeClock()
  readonly #network = inProcessNetwork()
  readonly #there = memoryStorage({ maxOps: 128 })
  readonly written = noting(memoryStorage({ maxOps: 128 }))
  primary!: Kernel
  secondary!: Kernel
  counted = counting(this.#network)

  static async joined(log: { readonly maxBytes?: number }): Promise<Pair> {
    const pair = new Pair()
    pair.primary = await createKernel({
      storage: pair.written.storage,
      seal: keySeal(new Uint8Array(32).fill(1)),
      crypto: nodeCrypto(),
      clock: pair.clock,
      initialize: true,
      ports: { replication: pair.#network },
      replication: { log },
    })
    for (let n = 0; n < SECRETS; n++) await pair.write(n, 'before')
    await pair.primary.replication.enablePrimary({})
    const { wrap_info } = await pair.primary.replication.createSecondaryToken({ id: 'b' })
    await pair.#open()
    await pair.secondary.replication.enableSecondary({ token: wrap_info?.token ?? '' })
    await pair.level()
    return pair
  }

  write(n: number, value: string): Promise<unknown> {
    return this.primary.kv.writeSecret({ path: `app/${n}`, data: { value: value + VALUE } })
  }

  async #open(): Promise<void> {
    this.counted = counting(this.#network)
    this.secondary = await createKernel({
      storage: this.#there,
      seal: keySeal(new Uint8Array(32).fill(2)),
      crypto: nodeCrypto(),
      clock: this.clock,
      initialize: true,
      ports: { replication: this.counted.transport },
    })
  }

  /** Runs work while the secondary is closed. */
  async without(work: () => Promise<unknown>): Promise<void> {
    await this.secondary.close()
    this.written.sizes.clear()
    await work()
    await this.#open()
  }

  async level(): Promise<void> {
    for (let tick = 0; tick < 10; tick++) {
      const { failed } = await this.secondary.tick()
      expect(failed).toEqual([])
      const [here, there] = [await this.primary.replication.readStatus(), await this.secondary.replication.readStatus()]
      if (here.merkle_root === there.merkle_root && there.state === 'stream-wals') return
    }
    throw new Error('the secondary is not level after ten ticks')
  }

  /** The total size of the records that were written during the downtime. */
  get differing(): number {
    return [...this.written.sizes.values()].reduce((sum, size) => sum + size, 0)
  }

  async close(): Promise<void> {
    await this.secondary.close()
    await this.primary.close()
  }
}

describe('a secondary after a downtime', () => {
  it('streams the log from the last position that it has applied', async () => {
    const pair = await Pair.joined({})
    const whole = pair.counted.bytes
    expect(whole).toBeGreaterThan(SECRETS * VALUE.length)
    await pair.without(async () => {
      for (let n = 0; n < CHANGED; n++) await pair.write(n * 7, 'after')
      await pair.primary.kv.deleteSecret({ path: 'app/1' })
    })
    await pair.level()
    expect(pair.counted.bytes).toBeLessThan(1.2 * pair.differing + 5000)
    expect((await pair.secondary.kv.readSecret({ path: 'app/7' })).data).toEqual({ value: `after${VALUE}` })
    await expect(pair.secondary.kv.readSecret({ path: 'app/1' })).rejects.toMatchObject({ status: 404 })
    await pair.close()
  })

  it('fetches only differing records by a Merkle sync if the log no longer contains its position', async () => {
    const pair = await Pair.joined({ maxBytes: 20_000 })
    await pair.without(async () => {
      for (let n = 0; n < CHANGED; n++) await pair.write(n * 7, 'after')
      await pair.primary.kv.deleteSecret({ path: 'app/1' })
      // The tick truncates the log.
      await pair.primary.tick()
    })
    const states: string[] = []
    pair.secondary.events.on('replication.state_changed', ({ state }) => states.push(state))
    await pair.level()
    expect(states).toContain('merkle-sync')
    expect(pair.counted.bytes).toBeLessThan(2 * pair.differing + CHANGED * TREE_BYTES)
    expect(pair.counted.bytes).toBeGreaterThan(pair.differing)
    expect((await pair.secondary.kv.readSecret({ path: 'app/7' })).data).toEqual({ value: `after${VALUE}` })
    await expect(pair.secondary.kv.readSecret({ path: 'app/1' })).rejects.toMatchObject({ status: 404 })
    await pair.close()
  })

  it('sends only one small message if nothing has changed', async () => {
    const pair = await Pair.joined({})
    pair.counted.bytes = 0
    await pair.secondary.tick()
    expect(pair.counted.bytes).toBeGreaterThan(0)
    expect(pair.counted.bytes).toBeLessThan(2000)
    await pair.close()
  })
})
