/**
 * Compiles discovery chains. Chains share places, and each place is compiled once: many chains cost what their places do.
 */
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { quoted } from '../../../core/hcl/index.ts'
import { type Contradiction, contradiction } from './contradiction.ts'
import type { Finding, Findings } from './crossing.ts'
import { type Entries, fold } from './entries-read.ts'
import { openPlace, type Place, startOf, type Way } from './place.ts'
import { isHttpLike, protocolOf } from './protocol.ts'
import { describe } from './target.ts'

const PLACE_MICROSECONDS = 25

/** As many places of a circle are named. */
const NAMED = 16

/** A protocol and a service that speaks it. */
interface Spoken {
  readonly protocol: string
  readonly service: string
}

/** A place together with all that it leads to. */
export interface Compiled extends Findings {
  readonly place: Place
  /** Undefined: all ways lead to where nothing is known. */
  readonly spoken: Spoken | undefined
  /** By way. */
  readonly next: readonly Compiled[]
  /** Where a resolver comes to rest; any other place itself. */
  readonly rest: Compiled
}

interface Opened extends Compiled {
  readonly next: Compiled[]
  spoken: Spoken | undefined
  crossing: Finding | undefined
  leaving: Finding | undefined
  rest: Compiled
}

export class Compiler {
  readonly #entries: Entries
  readonly #starts = new Map<string, Compiled>()
  readonly #compiled = new Map<string, Compiled>()
  readonly #pace = new Pace()

  constructor(entries: Entries) {
    this.#entries = entries
  }

  /** Where the chain of a service begins. @throws KernelError 400 where entries contradict each other */
  *start(service: string): Steps<Compiled> {
    const known = this.#starts.get(fold(service))
    if (known) return known
    const start = yield* this.#compile(yield* this.#loaded(() => startOf(this.#entries, service)))
    yield* this.#loaded(() => this.#permit(service, start))
    this.#starts.set(fold(service), start)
    return start
  }

  #loaded<T>(look: () => T): Steps<T> {
    return this.#entries.loaded(look)
  }

  #permit(service: string, start: Compiled): void {
    if (start.place.kind === 'resolver') return
    const { protocol, service: speaker } = this.#spoken(service, start)
    if (!isHttpLike(protocol))
      throw contradiction(
        `${chainOf(service)}: ${spokenText(protocol, speaker)}, a protocol that does not permit advanced routing or splitting; http, http2 and grpc do`,
        [service, speaker],
      )
  }

  /** The protocol of a service's chain. @throws KernelError 400 as {@link start} */
  *protocol(service: string): Steps<string> {
    const start = yield* this.start(service)
    return yield* this.#loaded(() => this.#spoken(service, start).protocol)
  }

  /** Where a chain leads away altogether, its service speaks for itself. */
  #spoken(service: string, { spoken }: Compiled): Spoken {
    return spoken ?? { protocol: protocolOf(this.#entries, service), service }
  }

  /** Goes in depth without recursion: a chain is as long as somebody writes it. */
  *#compile(start: Way): Steps<Compiled> {
    const known = this.#compiled.get(start.key)
    if (known) return known
    const path: Opened[] = [yield* this.#loaded(() => this.#open(start))]
    const onPath = new Set([start.key])
    for (let top = path.at(-1) as Opened; ; top = path.at(-1) as Opened) {
      if (this.#pace.spend(PLACE_MICROSECONDS)) yield
      const { place, next } = top
      if (next.length < place.ways) {
        const way = yield* this.#loaded(() => place.wayAt(next.length))
        const behind = this.#compiled.get(way.key)
        if (behind) join(top, behind, start)
        else {
          if (onPath.has(way.key)) throw circular(path, way)
          path.push(yield* this.#loaded(() => this.#open(way)))
          onPath.add(way.key)
        }
        continue
      }
      this.#compiled.set(place.way.key, top)
      onPath.delete(place.way.key)
      path.pop()
      const above = path.at(-1)
      if (!above) return top
      join(above, top, start)
    }
  }

  #open(way: Way): Opened {
    const place = openPlace(this.#entries, way)
    const spoken = place.protocol === undefined ? undefined : { protocol: place.protocol, service: serviceOf(way) }
    const opened = { place, next: [], spoken, crossing: place.crossing, leaving: place.leaving } as Omit<Opened, 'rest'> as Opened
    opened.rest = opened
    return opened
  }
}

const serviceOf = (way: Way): string => (way.kind === 'resolver' ? way.target.service : way.service)

const chainOf = (service: string): string => `the discovery chain of the service ${quoted(service)}`

const spokenText = (protocol: string, service: string): string => `the service ${quoted(service)} speaks ${quoted(protocol)}`

/** Adds what lies behind the next way. */
function join(opened: Opened, behind: Compiled, start: Way): void {
  const { spoken } = behind
  if (opened.spoken && spoken && opened.spoken.protocol !== spoken.protocol)
    throw contradiction(
      `${chainOf(serviceOf(start))} has inconsistent protocols: ${spokenText(opened.spoken.protocol, opened.spoken.service)}, ${spokenText(spoken.protocol, spoken.service)}`,
      [serviceOf(start), opened.spoken.service, spoken.service],
    )
  opened.spoken ??= spoken
  opened.crossing ??= behind.crossing
  opened.leaving ??= behind.leaving
  opened.next.push(behind)
  if (opened.place.kind === 'resolver' && opened.place.passing) opened.rest = behind.rest
}

function circular(path: readonly Opened[], way: Way): Contradiction {
  const from = path.findIndex(({ place }) => place.way.key === way.key)
  const ways = [...path.slice(from).map(({ place }) => place.way), way]
  const circle = ways.map((passed) => (passed.kind === 'resolver' ? describe(passed.target) : quoted(passed.service)))
  const shown =
    circle.length > NAMED ? [...circle.slice(0, NAMED - 2), `... ${circle.length - NAMED + 1} more`, ...circle.slice(-1)] : circle
  const what = way.kind === 'resolver' ? 'service-resolvers: circular redirect' : 'service-splitters: circular reference'
  return contradiction(`${what}: ${shown.join(' -> ')}`, ways.map(serviceOf))
}
