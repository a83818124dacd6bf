/**
 * The writes that the primary has begun and finished, and the possible values at every place.
 */
import type { Contents } from './contents.ts'
import type { Lane, Step } from './load.ts'

export class Ledger {
  readonly #known = new Map<string, Set<string | null>>()
  readonly #underWay = new Map<Lane, Step>()
  acknowledged = 0

  begins(lane: Lane, step: Step): void {
    this.#underWay.set(lane, step)
  }

  done(lane: Lane): void {
    const step = this.#underWay.get(lane)
    this.#underWay.delete(lane)
    if (!step) return
    this.#known.set(step.place, new Set([step.value]))
    this.acknowledged++
  }

  /** The outcome of writes in progress is unknown after a kill. */
  cut(name: string): void {
    if (name !== 'primary') return
    for (const { place, value } of this.#underWay.values()) {
      const before = this.#known.get(place) ?? new Set([null])
      this.#known.set(place, before.add(value))
    }
    this.#underWay.clear()
  }

  /** Returns the places whose value differs from the acknowledged ones. */
  faults(contents: Contents): readonly string[] {
    const places = new Set([...this.#known.keys(), ...Object.keys(contents)])
    return [...places].flatMap((place) => {
      const allowed = this.#known.get(place)
      const found = contents[place] ?? null
      if (place.startsWith('token-') || place.startsWith('secret before/') || allowed?.has(found)) return []
      return [`${place}: ${found} instead of ${[...(allowed ?? ['nothing'])].join(' or ')}`]
    })
  }
}
