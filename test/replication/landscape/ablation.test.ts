/** With one rule of the implementation taken away a schedule breaks a property, which holds with the rule. */
import { describe, expect, test, vi } from 'vitest'
import { DIRECTED } from './directed/index.ts'
import type { PROPERTIES } from './properties/broken.ts'

type Name = keyof typeof DIRECTED

const SRC = '../../../src/sys/replication'

const HANDLERS = `${SRC}/serve/handlers.ts`
const STANDING = `${SRC}/follow/standing.ts`
const FENCED = `${SRC}/roles/fenced.ts`
const APPLIER = `${SRC}/follow/applier.ts`
const APPLY = `${SRC}/follow/apply.ts`
const RECEIVED = `${SRC}/follow/received.ts`
const REMOVE = `${SRC}/follow/remove-parts.ts`
const LINK = `${SRC}/link.ts`
const TAKE_OVER = `${SRC}/roles/take-over.ts`
const UPKEEP = `${SRC}/log/upkeep.ts`

/** Whoever asks for a certificate gets it, as though nobody had it yet. */
const manyClaims = (): void =>
  void vi.doMock(HANDLERS, async (original) => {
    const module = await original<typeof import('../../../src/sys/replication/serve/handlers.ts')>()
    const handlersOf: typeof module.handlersOf = (center) => {
      const { handlers, activate } = module.handlersOf(center)
      const { claim } = handlers
      if (!claim) throw new Error('there is no claim')
      return {
        activate,
        handlers: {
          ...handlers,
          async claim(message, peer, member) {
            await center.membership.edit((now) => {
              const { claimed: _, ...certificate } = now.certificate ?? {}
              return now.certificate && { ...now, certificate: { ...now.certificate, ...certificate, claimed: peer } }
            })
            return claim(message, peer, member)
          },
        },
      }
    }
    return { ...module, handlersOf }
  })

/** An epoch of one's own, of which nothing was applied, stays in the history. */
const withoutTrimming = (): void =>
  void vi.doMock(STANDING, async (original) => {
    const module = await original<typeof import('../../../src/sys/replication/follow/standing.ts')>()
    const courseFor: typeof module.courseFor = (relation, following, theirs) => {
      const course = module.courseFor(relation, following, theirs)
      const isOwn = relation.history.some(({ origin }) => !theirs.history.some((other) => other.origin === origin))
      return course.way !== 'rewind' && isOwn ? { way: 'idle', why: 'it has an epoch of its own' } : course
    }
    return { ...module, courseFor }
  })

const withoutFence = (): void => void vi.doMock(FENCED, () => ({ fenced: async () => {} }))

/** After a comparison the log is followed from where the primary is by then. */
const withoutPins = (): void =>
  void vi.doMock(APPLY, async (original) => {
    const module = await original<typeof import('../../../src/sys/replication/follow/apply.ts')>()
    const noteFollowing: typeof module.noteFollowing = (host, next, ...rest) =>
      module.noteFollowing(host, { ...next, applied: next.differs ? next.applied : (next.fuzzy_until ?? next.applied) }, ...rest)
    return { ...module, noteFollowing }
  })

const withoutClass = (): void =>
  void vi.doMock(RECEIVED, async (original) => {
    const module = await original<typeof import('../../../src/sys/replication/follow/received.ts')>()
    const recordIn: typeof module.recordIn = (kind, item) => module.recordIn({ ...kind, sends: ['r/', 'l/', 'i/'] }, item)
    return { ...module, recordIn }
  })

/** Mounts come when it is their turn. */
const withoutMountsLast = (): void =>
  void vi.doMock(APPLIER, async (original) => {
    const { Applier } = await original<typeof import('../../../src/sys/replication/follow/applier.ts')>()
    return {
      Applier: class extends Applier {
        override add(op: Parameters<typeof this.take>[0]): Promise<void> {
          return this.take(op)
        }
      },
    }
  })

/** And go likewise. */
const withoutMountsFirst = (): void =>
  void vi.doMock(REMOVE, async (original) => ({
    ...(await original<typeof import('../../../src/sys/replication/follow/remove-parts.ts')>()),
    placesOf: async () => ({ keys: [], mounts: [] }),
  }))

/** Whoever joins does not wait for the answer to its greeting. */
const withoutGreeting = (): void =>
  void vi.doMock(LINK, async (original) => {
    const module = await original<typeof import('../../../src/sys/replication/link.ts')>()
    const { ask } = module.Link.prototype
    module.Link.prototype.ask = async function (addresses, message, signal, once) {
      if (message['kind'] !== 'hello' || message['cluster'] !== '') return ask.call(this, addresses, message, signal, once)
      const { set, layout, history, max_epoch } = message
      const standing = { set, layout, history, max_epoch, mode: 'primary', head: 0, checkpoint: null, certificate: null, now: 0 }
      return { ...standing, addresses: [], counts: [], counts_next: '' }
    }
    return module
  })

/** Whoever takes over goes on in the epoch of the former primary. */
const withoutOwnEpoch = (): void =>
  void vi.doMock(TAKE_OVER, async (original) => {
    const module = await original<typeof import('../../../src/sys/replication/roles/take-over.ts')>()
    const takenOver: typeof module.takenOver = async (center, following, address) => {
      const { part, ops } = await module.takenOver(center, following, address)
      const { decodeRecord } = await import('../../../src/core/contract/record-kind.ts')
      const { PERFORMANCE } = await import('../../../src/sys/replication/state/kind.ts')
      const [found] = await center.host.store.getMany([PERFORMANCE.relationKey])
      const last = found && decodeRecord(PERFORMANCE.relation, found.value).history.at(-1)
      if (!last || !part) throw new Error('it has no part there')
      return { part: { mode: 'primary', epoch: last.epoch, origin: last.origin }, ops }
    }
    return { ...module, takenOver }
  })

const withoutCheckpoints = (): void =>
  void vi.doMock(UPKEEP, async (original) => {
    const module = await original<typeof import('../../../src/sys/replication/log/upkeep.ts')>()
    module.Upkeep.prototype.differsAt = async () => false
    return module
  })

interface Ablation {
  readonly rule: string
  readonly schedule: Name
  readonly breaks: keyof typeof PROPERTIES
  readonly without: () => void
}

const ABLATIONS: readonly Ablation[] = [
  { rule: 'the single claim of a certificate', schedule: 'rivals', breaks: 'onePrimary', without: manyClaims },
  { rule: 'trimming of empty epochs', schedule: 'emptyEpoch', breaks: 'streamingReached', without: withoutTrimming },
  { rule: 'the fence on sight', schedule: 'behindItsBack', breaks: 'onePrimary', without: withoutFence },
  { rule: 'an epoch of its own for whoever takes over', schedule: 'takenApart', breaks: 'onePrimary', without: withoutOwnEpoch },
  { rule: 'pins', schedule: 'writtenMeanwhile', breaks: 'divergenceKnown', without: withoutPins },
  {
    rule: 'pins and checkpoints',
    schedule: 'writtenMeanwhile',
    breaks: 'divergenceKnown',
    without: () => {
      withoutPins()
      withoutCheckpoints()
    },
  },
  { rule: 'checkpoints', schedule: 'keptBack', breaks: 'streamingReached', without: withoutCheckpoints },
  { rule: 'the class in the key', schedule: 'foreignClass', breaks: 'replicasEqual', without: withoutClass },
  { rule: 'the mount record last', schedule: 'admitted', breaks: 'replicasEqual', without: withoutMountsLast },
  { rule: 'the mount record first on removal', schedule: 'denied', breaks: 'replicasEqual', without: withoutMountsFirst },
  { rule: 'the wipe after the handshake', schedule: 'revokedAhead', breaks: 'replicasEqual', without: withoutGreeting },
]

/** What becomes of a schedule. Everything is loaded anew, so that what is taken away is nowhere. */
async function outcomeOf(name: Name, without?: () => void): Promise<string> {
  vi.resetModules()
  without?.()
  try {
    const { simulate } = await import('./simulate.ts')
    const { DIRECTED: anew } = await import('./directed/index.ts')
    return await simulate({ seed: name, ...anew[name] }).then(
      () => 'holds',
      ({ message }: Error) => message,
    )
  } finally {
    for (const module of [HANDLERS, STANDING, FENCED, APPLIER, APPLY, RECEIVED, REMOVE, LINK, TAKE_OVER, UPKEEP])
      vi.doUnmock(module)
  }
}

describe('schedules that somebody wrote', { timeout: 120_000 }, () => {
  test.each(Object.keys(DIRECTED) as Name[])('%s holds', async (schedule) => {
    expect(await outcomeOf(schedule)).toBe('holds')
  })

  test.each(ABLATIONS)('without $rule $schedule breaks $breaks', async ({ schedule, breaks, without }) => {
    const { PROPERTIES: named } = await import('./properties/broken.ts')
    expect(await outcomeOf(schedule, without)).toContain(`Violation: (${named[breaks]})`)
  })
})
