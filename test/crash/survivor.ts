/**
 * The expected state of a lane of the crash test: its acknowledged acts and the act in progress when the worker died. Decides which of the
 * possible states the store has.
 */
import { expect } from 'vitest'
import type { LendingWorld } from '../fixtures/lending.ts'
import { type Act, after, isNameless, type LaneState, NOTHING } from './lane.ts'
import { look, type Memory, plaintextOf, visible } from './perform.ts'
import type { ChildMessage } from './worker.child.ts'

interface Sealed {
  readonly n: number
  readonly name: string
  /** The act that created the key. */
  readonly born: number
  readonly version: number
  readonly ciphertext: string
}

/** The number of newest acts whose tokens, leases and ciphertexts are checked after every kill, valid or not. */
const LOOK_BACK = 12

export class LaneRecord {
  readonly lane: string
  state: LaneState = NOTHING
  memory: Record<number, string> = {}
  /** The number of the next act. */
  n = 0
  acknowledged = 0
  #pending: Act | undefined
  readonly #sealed: Sealed[] = []
  /** The names of all tokens that were ever created. */
  readonly #tokens: string[] = []
  /** Acknowledged encryptions, by key and version. */
  readonly #counts = new Map<string, number>()

  constructor(lane: string) {
    this.lane = lane
  }

  /** The start state of the next worker. */
  get start(): { readonly state: LaneState; readonly memory: Memory; readonly n: number } {
    return { state: this.state, memory: this.memory, n: this.n }
  }

  note(message: ChildMessage): void {
    if (message.type === 'begins') {
      this.#pending = message.act
      this.n = message.act.n + 1
    } else if (message.type === 'done') {
      const act = this.#pending as Act
      this.#pending = undefined
      this.acknowledged++
      if (act.do === 'create token') this.#tokens.push(act.name)
      if (act.do === 'encrypt') this.#keep(act.name, act.n, message.brought as string)
      else if (message.brought !== undefined) this.memory[act.n] = message.brought
      this.state = after(this.state, act)
    }
  }

  /** Checks that the store has the state before or after the act in progress, and continues with that state. */
  async settle(lending: LendingWorld): Promise<void> {
    const pending = this.#pending
    this.#pending = undefined
    const numbers = [...new Set([...this.state.wrapped, ...this.state.leases, ...this.state.logins, ...this.#newest()])].sort(
      (a, b) => a - b,
    )
    const next = pending ? after(this.state, pending) : this.state
    const tokens = [
      ...new Set([...Object.keys(this.state.tokens), ...Object.keys(next.tokens), ...this.#tokens.slice(-LOOK_BACK)]),
    ]
    const found = await look(lending, this.lane, this.memory, { tokens, numbers })
    const before = visible(this.state)
    if (!pending || isNameless(pending)) expect(found, `lane ${this.lane}`).toEqual(before)
    else {
      expect([before, visible(next)], `lane ${this.lane}, ${JSON.stringify(pending)} under way`).toContainEqual(found)
      if (JSON.stringify(sorted(found)) === JSON.stringify(sorted(visible(next)))) this.state = next
    }
    await this.#checkCiphertexts(lending)
    await this.#checkCounts(lending)
  }

  #keep(name: string, n: number, ciphertext: string): void {
    const { born } = this.state.keys[name] as { born: number }
    const version = Number(/:v(\d+):/.exec(ciphertext)?.[1])
    this.#sealed.push({ n, name, born, version, ciphertext })
    const counted = `${name} ${born} ${version}`
    this.#counts.set(counted, (this.#counts.get(counted) ?? 0) + 1)
  }

  #newest(): number[] {
    return Object.keys(this.memory)
      .map(Number)
      .slice(-LOOK_BACK / 2)
  }

  /** Checks the newest ciphertexts and some old ones. */
  async #checkCiphertexts({ kernel }: LendingWorld): Promise<void> {
    const all = this.#sealed
    const old = all.filter((_, index) => index % Math.ceil(all.length / LOOK_BACK) === 0)
    for (const { n, name, born, version, ciphertext } of new Set([...old, ...all.slice(-LOOK_BACK)])) {
      const key = this.state.keys[name]
      const opened = kernel.transit.decrypt({ name: `${this.lane}-${name}`, ciphertext })
      if (key?.born === born && version >= key.minDecryption)
        expect((await opened).plaintext).toEqual(new Uint8Array(plaintextOf(this.lane, n)))
      else await expect(opened, `${name} of ${born}`).rejects.toMatchObject({ status: 400 })
    }
  }

  /** A stored count is never lower than the acknowledged encryptions. */
  async #checkCounts({ kernel }: LendingWorld): Promise<void> {
    for (const [name, { born, latest }] of Object.entries(this.state.keys)) {
      const { encryptions } = await kernel.transit.readKey({ name: `${this.lane}-${name}` })
      const counted = this.#counts.get(`${name} ${born} ${latest}`) ?? 0
      expect(encryptions?.[String(latest)] ?? 0).toBeGreaterThanOrEqual(counted)
    }
  }
}

/** Sorts members by name, so that equal states have equal texts. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, member]) => [name, sorted(member)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}
