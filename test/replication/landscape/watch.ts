/** Inspects the decrypted answers that clusters receive from others. */
import { pack } from '../../../src/sys/replication/wire/packed.ts'
import { centersOf } from '../simulation/centers.ts'
import type { Node } from '../simulation/site.ts'
import type { Violation } from '../simulation/verdict.ts'
import type { Landscape } from './landscape.ts'
import { broken } from './properties/broken.ts'
import { deniedIn } from './properties/filtered-stays-away.ts'
import { overtakenBy } from './properties/one-primary.ts'

type Message = Readonly<Record<string, unknown>>

export class Watch {
  readonly #world: Landscape
  /** Revoked secondary ids. */
  readonly revoked = new Set<string>()
  /** Changes whenever the excluded data may change. */
  #turn = 0
  readonly violations: Violation[] = []

  constructor(world: Landscape) {
    this.#world = world
  }

  /** Runs work that may change the excluded data at any moment. */
  async turning<T>(work: () => Promise<T>): Promise<T> {
    this.#turn++
    try {
      return await work()
    } finally {
      this.#turn++
    }
  }

  opened(node: Node): void {
    for (const center of Object.values(centersOf(node))) {
      const { follower } = center
      const ask = follower.ask.bind(follower)
      follower.ask = async (message, signal, once) => {
        const [id, turn] = [center.membership.known?.relation.upstream?.id ?? '', this.#turn]
        const wasRevoked = this.revoked.has(id)
        const answer = await ask(message, signal, once)
        if (wasRevoked) this.#found(broken('repetitionHarmless', `${node.name} is told something as ${id}, which is revoked`))
        this.#found(overtakenBy({ node, id, message, answer }, this.revoked))
        if (center.host.kind.name === 'performance') await this.#lookFor(node, id, String(message['kind']), answer, turn)
        return answer
      }
    }
  }

  async #lookFor(node: Node, id: string, message: string, answer: Message, turn: number): Promise<void> {
    const world = this.#world
    const filter = world.filters.get(id)
    if (!filter || world.isSplit) return
    const denied = await deniedIn(world, filter, Buffer.from(pack(answer)).toString('latin1'))
    if (denied !== undefined && turn === this.#turn)
      this.#found(broken('filteredStaysAway', `${node.name} is told of ${denied} (${message})`))
  }

  #found(violation: Violation | undefined): void {
    if (violation) this.violations.push(violation)
  }

  /** @throws the first violation that was found. */
  throwFirstViolation(): void {
    const [first] = this.violations
    if (first) throw first
  }
}
