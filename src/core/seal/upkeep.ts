/**
 * How often the barrier's key was used, told to the store now and then; too often, and it is rotated. Room: core/seal. Imported by the composition
 * root, which calls it in every tick and when the kernel closes.
 *
 * What a process that dies has not told is lost: at most so many encryptions as make a tick tell them, and those since that tick. The limit is far
 * enough below what the key stands for millions of such deaths.
 */
import type { Call } from '../request/call.ts'
import type { Host, Place } from '../transaction/host.ts'
import { transact } from '../transaction/transact.ts'
import type { SealKeeper } from './keeper.ts'
import { ENCRYPTIONS, rotationConfig } from './rotation.ts'

/** So many encryptions are told by the next tick. */
const TELL_FROM = 65_536
/** Fewer are told after this many milliseconds. */
const TELL_AFTER = 600_000

export interface UpkeepParts {
  readonly keeper: SealKeeper
  readonly host: Host
  /** The kernel's own records, and on whose behalf. */
  readonly place: Place
  readonly call: Call
}

export class KeyUpkeep {
  readonly #parts: UpkeepParts
  #toldAt: number

  constructor(parts: UpkeepParts) {
    this.#parts = parts
    this.#toldAt = parts.host.clock.now()
  }

  /** Rotates where the key was used often enough. Nothing happens in nearly all ticks. */
  async run(): Promise<void> {
    const { keeper, host } = this.#parts
    const { barrier } = keeper.parts
    const { encryptions } = barrier
    if (encryptions < TELL_FROM && (encryptions === 0 || host.clock.now() - this.#toldAt < TELL_AFTER)) return
    const { term } = barrier.ring.active
    if (await this.tell()) await keeper.rotate(term)
  }

  /** @returns Whether the key is used up. */
  async tell(): Promise<boolean> {
    const { keeper, host, place, call } = this.#parts
    const { barrier } = keeper.parts
    const { term } = barrier.ring.active
    const made = barrier.takeEncryptions()
    try {
      const { value, tx } = await transact(host, place, call, 'write', (run) => {
        const count = (run.get(ENCRYPTIONS, String(term))?.count ?? 0) + made
        run.put(ENCRYPTIONS, String(term), { count })
        const { enabled, max_operations } = rotationConfig(run)
        return enabled && count > max_operations
      })
      tx.end()
      this.#toldAt = host.clock.now()
      return value
    } catch (error) {
      if (barrier.open && barrier.ring.active.term === term) barrier.addEncryptions(made)
      throw error
    }
  }
}
