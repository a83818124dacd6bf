/** Every rule is necessary: without it, some schedule violates a property that otherwise holds. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { decodeRecord } from '../../../src/core/contract/record-kind.ts'
import { DifferenceApplier } from '../../../src/sys/replication/follow/difference-applier.ts'
import { Follower } from '../../../src/sys/replication/follow/follower.ts'
import { Link } from '../../../src/sys/replication/link.ts'
import { TreeMaintainer } from '../../../src/sys/replication/log/tree-maintainer.ts'
import type { ReplicationRules } from '../../../src/sys/replication/replication-context.ts'
import { REPLICATION_RULES } from '../../../src/sys/replication/rules.ts'
import { lastOf } from '../../../src/sys/replication/state/history.ts'
import { PERFORMANCE } from '../../../src/sys/replication/state/replication-kind.ts'
import { DIRECTED } from './directed/index.ts'
import { PROPERTIES } from './properties/broken.ts'
import { simulate } from './simulate.ts'

type Name = keyof typeof DIRECTED

type Rules = Partial<ReplicationRules>

/** Grants the certificate to every cluster that claims it, not only to the first. */
const manyClaims: Rules = {
  handlersOf(center) {
    const { handlers, activate } = REPLICATION_RULES.handlersOf(center)
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
  },
}

/** Keeps an epoch that the cluster began itself in its history, even if no other cluster has applied it. */
const withoutTrimming: Rules = {
  courseFor(relation, following, primaryState) {
    const course = REPLICATION_RULES.courseFor(relation, following, primaryState)
    const isOwn = relation.history.some(({ origin }) => !primaryState.history.some((epoch) => epoch.origin === origin))
    return course.way !== 'rewind' && isOwn ? { way: 'idle', why: 'it has an epoch of its own' } : course
  },
}

/** Believes any epoch that a secondary asserts. */
const withoutProofs: Rules = { provenEpoch: async (_center, _peer, history) => lastOf(history).epoch }

/** Believes a secondary that asserts its own promotion. */
const byItsOwnWord: Rules = { provenEpoch: (center, _peer, history) => REPLICATION_RULES.provenEpoch(center, '', history) }

const withoutFence: Rules = { stepDownIfSuperseded: async () => {} }

/** Follows the log after a comparison from its end position and skips the changes that were written during the comparison. */
const withoutPins: Rules = {
  storeProgress: (host, next, ...rest) =>
    REPLICATION_RULES.storeProgress(
      host,
      { ...next, applied: next.differs ? next.applied : (next.consistentFrom ?? next.applied) },
      ...rest,
    ),
}

/** Keeps the records of removed mounts and namespaces until their data has been removed. */
const withoutMountsFirst: Rules = { containerRecordsOf: async () => ({ keys: [], mounts: [] }) }

/** Continues the epoch of the former primary in the cluster that takes over. */
const withoutOwnEpoch: Rules = {
  async planTakeOver(center, following, address) {
    const { part, ops } = await REPLICATION_RULES.planTakeOver(center, following, address)
    const [found] = await center.host.store.getMany([PERFORMANCE.relationKey])
    const last = found && decodeRecord(PERFORMANCE.relation, found.value).history.at(-1)
    if (!last || !part) throw new Error('it has no part there')
    return { part: { mode: 'primary', epoch: last.epoch, origin: last.origin }, ops }
  },
}

function withoutClass(): void {
  const { get } = Object.getOwnPropertyDescriptor(Follower.prototype, 'kind') ?? {}
  vi.spyOn(Follower.prototype, 'kind', 'get').mockImplementation(function (this: Follower) {
    return { ...get?.call(this), sends: ['r/', 'l/', 'i/'] }
  })
}

/** Writes mount records in the order in which they arrive. */
const withoutMountsLast = (): void =>
  void vi.spyOn(DifferenceApplier.prototype, 'add').mockImplementation(function (this: DifferenceApplier, op) {
    return this.addNow(op)
  })

/** Does not let a joining cluster wait for the answer to its greeting. */
function withoutGreeting(): void {
  const { ask } = Link.prototype
  vi.spyOn(Link.prototype, 'ask').mockImplementation(async function (this: Link, addresses, message, signal, once) {
    if (message['kind'] !== 'hello' || message['cluster'] !== '') return ask.call(this, addresses, message, signal, once)
    const { set, layout, history } = message
    const standing = { set, layout, history, mode: 'primary', head: 0, faults: 0, view: '', checkpoint: null, certificate: null }
    return { ...standing, addresses: [], counts: [], counts_next: '', membership: 0 }
  })
}

const withoutCheckpoints = (): void => void vi.spyOn(TreeMaintainer.prototype, 'differsAt').mockResolvedValue(false)

/** The replacements that switch a rule off. */
interface Without {
  readonly rules?: Rules
  /** Replaces methods of classes, until the end of the test. */
  readonly methods?: () => void
}

interface Ablation extends Without {
  readonly rule: string
  readonly schedule: Name
  readonly breaks: keyof typeof PROPERTIES
}

const ABLATIONS: readonly Ablation[] = [
  { rule: 'only one secondary can claim a demotion certificate', schedule: 'rivals', breaks: 'onePrimary', rules: manyClaims },
  {
    rule: 'empty epochs are removed from the history',
    schedule: 'emptyEpoch',
    breaks: 'streamingReached',
    rules: withoutTrimming,
  },
  { rule: 'a primary stops when it sees a higher epoch', schedule: 'behindItsBack', breaks: 'onePrimary', rules: withoutFence },
  { rule: 'a higher epoch needs a proof', schedule: 'lies', breaks: 'onePrimary', rules: withoutProofs },
  { rule: 'a member other than the promoted one proves an epoch', schedule: 'lies', breaks: 'onePrimary', rules: byItsOwnWord },
  { rule: 'a takeover starts a new epoch', schedule: 'takenApart', breaks: 'onePrimary', rules: withoutOwnEpoch },
  {
    rule: 'the log is applied from before the comparison',
    schedule: 'writtenMeanwhile',
    breaks: 'divergenceKnown',
    rules: withoutPins,
  },
  {
    rule: 'the log is applied from before the comparison, and checkpoints are compared',
    schedule: 'writtenMeanwhile',
    breaks: 'divergenceKnown',
    rules: withoutPins,
    methods: withoutCheckpoints,
  },
  { rule: 'checkpoints are compared', schedule: 'keptBack', breaks: 'streamingReached', methods: withoutCheckpoints },
  {
    rule: 'only records of the replicated classes are sent',
    schedule: 'foreignClass',
    breaks: 'replicasEqual',
    methods: withoutClass,
  },
  { rule: 'mount records are written after the data', schedule: 'admitted', breaks: 'replicasEqual', methods: withoutMountsLast },
  { rule: 'mount records are deleted before the data', schedule: 'denied', breaks: 'replicasEqual', rules: withoutMountsFirst },
  {
    rule: 'a joining cluster waits for the greeting before its wipe',
    schedule: 'revokedAhead',
    breaks: 'replicasEqual',
    methods: withoutGreeting,
  },
]

/** @returns `holds`, or why the schedule fails. */
function outcomeOf(name: Name, { rules, methods }: Without = {}): Promise<string> {
  methods?.()
  return simulate({ seed: name, ...DIRECTED[name], ...(rules ? { rules } : {}) }).then(
    () => 'holds',
    ({ message }: Error) => message,
  )
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('a simulation of replicated clusters with a schedule that targets one rule', () => {
  test.each(Object.keys(DIRECTED) as Name[])('violates no property: %s', async (schedule) => {
    expect(await outcomeOf(schedule)).toBe('holds')
  })

  test.each(ABLATIONS)(
    'violates the property "$breaks" if the rule "$rule" is switched off: $schedule',
    async ({ schedule, breaks, ...without }) => {
      expect(await outcomeOf(schedule, without)).toContain(`Violation: (${PROPERTIES[breaks]})`)
    },
  )
})
