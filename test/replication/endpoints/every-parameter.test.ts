/**
 * Every parameter of every operation below `sys/replication`, of both kinds and by both views, with hostile values. The cases are generated
 * from the definitions, so new operations are included.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Kernel } from '../../../src/index.ts'
import { EVERY_OPERATION, type Known, methodOf, pathOutcome, requestOf, typedOutcome } from '../../fixtures/every-operation.ts'
import { runs } from '../../fixtures/runs.ts'
import { operationTokenOf } from '../dr/operation-token.ts'
import { DR, type Kind, PERFORMANCE, ticked, tokenOf } from '../failovers/kinds.ts'
import { type Site, Sites } from '../failovers/sites.ts'
import { hostileFor, jwt, WRONG } from './hostile-values.ts'

/** The role that a cluster needs, so that only the hostile value can be the reason for an error. */
type Part = 'disabled' | 'primary' | 'secondary'

interface Place {
  readonly kind: Kind
  readonly part: Part
}

type Member = Site & { readonly shares: readonly string[]; readonly root: string }

interface Subject {
  readonly site: Member
  /** The headers of calls by path, and the credentials in their bodies. */
  readonly headers: Readonly<Record<string, string>>
  readonly credentials: Readonly<Record<string, string>>
}

const KNOWN = EVERY_OPERATION.filter(({ mount, operation }) => mount === 'sys/' && operation.path.startsWith('/replication/'))

function placeOf({ operation: { path } }: Known): Place {
  const kind = path.startsWith('/replication/dr/') ? DR : PERFORMANCE
  if (/\/(?:primary|secondary)\/(?:enable|generate-public-key)$/.test(path)) return { kind, part: 'disabled' }
  return { kind, part: /\/secondary\//.test(path) ? 'secondary' : 'primary' }
}

/** Each parameter is tried with one in this many of the hostile values. Successive parameters use different ones. */
const ONE_IN = runs({ quick: 6, soak: 1 })

/** Valid values for the other parameters. */
const GOOD: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'secondary-token': { id: 'c' },
  enable: { token: jwt({ addr: 'nowhere', key: '09'.repeat(32) }) },
  'update-primary': { update_primary_addrs: ['nowhere'] },
}

let sites: Sites
const primaries = new Map<Kind, Member>()
const subjects = new Map<string, Promise<Subject>>()
let made = 0

beforeAll(async () => {
  sites = new Sites()
  for (const kind of [PERFORMANCE, DR]) {
    const site = await sites.openWithShares()
    await site.kernel.kv.writeSecret({ path: 'kept', data: { a: 1 } })
    await kind.of(site.kernel).enablePrimary()
    await tokenOf(kind, site.kernel, 'b')
    primaries.set(kind, site)
  }
})
afterAll(() => sites.close())

async function makeSubject({ kind, part }: Place): Promise<Subject> {
  const primary = primaries.get(kind) as Member
  if (part === 'primary') return { site: primary, headers: { 'X-Service-Token': primary.root }, credentials: {} }
  const site = await sites.openWithShares()
  if (part === 'disabled') return { site, headers: { 'X-Service-Token': site.root }, credentials: {} }
  await kind.of(site.kernel).enableSecondary({ token: await tokenOf(kind, primary.kernel, `made-${++made}`) })
  await ticked(site.kernel)
  if (kind === DR)
    return {
      site,
      headers: {},
      credentials: { dr_operation_token: await operationTokenOf(site.kernel, site.shares, primary.kernel) },
    }
  const { client_token } = await site.kernel.tokens.createToken({ policies: ['root'] })
  return { site, headers: { 'X-Service-Token': client_token }, credentials: {} }
}

function subjectAt(place: Place): Promise<Subject> {
  const name = `${place.kind.name} ${place.part}`
  const known = subjects.get(name) ?? makeSubject(place)
  subjects.set(name, known)
  return known
}

/** The value was accepted, which may have changed the cluster, so use a new one. */
const forgetSubject = ({ kind, part }: Place): boolean => part !== 'primary' && subjects.delete(`${kind.name} ${part}`)

/** Records that change without a request: claims, the log and its tree, and when clusters were seen. */
const BESIDE = /^i\/(?:claim\/|replication\/(?:dr\/)?(?:log|node|seen|heard|tree|checkpoint|folded|inspection))/

/** All records and their versions. Every write changes a version. */
async function versionsOf({ storage }: Site): Promise<ReadonlyMap<string, number>> {
  const entries = await storage.scan('')
  return new Map(entries.filter(({ key }) => !BESIDE.test(key)).map(({ key, version }) => [key, version]))
}

const changed = (before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key))

const isWrong = (what: string): boolean => WRONG.some(([name]) => name === what)

/** 403 is for operation tokens, 404 for unknown names, 405 for paths of another operation, 502 and 503 if the primary must be called. */
const REFUSALS: readonly number[] = [400, 403, 404, 405, 413, 502, 503]

type Ask = (
  known: Known,
  subject: Subject,
  members: Readonly<Record<string, unknown>>,
) => Promise<{ readonly status: number; readonly said: string } | undefined>

const WAYS: readonly (readonly [string, Ask])[] = [
  [
    'by path',
    async (known, { site, headers, credentials }, members) => {
      const wants = 'dr_operation_token' in known.fields
      return pathOutcome(await site.kernel.handle(requestOf(known, { ...(wants ? credentials : {}), ...members }, headers)))
    },
  ],
  [
    'typed',
    async (known, { site }, members) => {
      const call = methodOf(site.kernel as unknown as ReturnType<Kernel['as']>, known)
      return call && typedOutcome(() => call(members))
    },
  ],
]

/** Whether a value that is not text reaches the parameter: in a path or a query every value is text. */
const takesAnyType = (known: Known, name: string, way: string): boolean =>
  way === 'typed' || (known.operation.verb === 'POST' && !new RegExp(`[:*+]${name}`).test(known.operation.path))

describe.each(KNOWN.map((known) => [known.operation.verb, known.operation.path, known] as const))('%s %s', (_, path, known) => {
  const fields = Object.entries(known.fields)
  if (fields.length === 0) it('has no parameters', () => expect(fields).toEqual([]))
  for (const [name, { schema }] of fields)
    for (const [way, ask] of WAYS)
      it(`refuses a hostile value of ${name} without a change, or stores it as plain text (${way})`, async () => {
        const place = placeOf(known)
        const good = Object.fromEntries(
          Object.entries(GOOD[path.split('/').at(-1) ?? ''] ?? {}).filter(([one]) => one in known.fields),
        )
        if (name === 'token') delete good['update_primary_addrs']
        const values = hostileFor(schema['type']).filter((_, at) => (at + path.length + name.length) % ONE_IN === 0)
        for (const [what, value] of values) {
          if (isWrong(what) && !takesAnyType(known, name, way)) continue
          const subject = await subjectAt(place)
          // A promotion first checks whether the cluster has all records.
          if (path.endsWith('/promote')) await ticked(subject.site.kernel)
          const before = await versionsOf(subject.site)
          const came = await ask(known, subject, { ...(/[:*+]id/.test(path) ? { id: 'b' } : {}), ...good, [name]: value })
          if (!came) return
          const label = [what, came.status, came.said.slice(0, 200)]
          if (came.status >= 400) {
            expect([label, REFUSALS.includes(came.status)]).toEqual([label, true])
            // The error of a typed call may repeat the name that was not found.
            if (way === 'by path') expect(came.said.length).toBeLessThan(2000)
            expect([label, changed(before, await versionsOf(subject.site))]).toEqual([label, []])
          } else {
            expect([label, isWrong(what)]).toEqual([label, false])
            forgetSubject(place)
          }
          expect((await place.kind.of(subject.site.kernel).readStatus()).mode).toBeDefined()
        }
      })
})
