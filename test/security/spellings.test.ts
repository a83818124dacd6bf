/**
 * Policies decide about one spelling of each record: a token that is denied a record at its path must not reach it by another spelling.
 * Tried for every operation with a name or a path in its path, in typed calls and calls by path.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foldName } from '../../src/core/base/fold-name.ts'
import { PathSpelling } from '../../src/core/contract/path-spelling.ts'
import { PathPattern } from '../../src/core/field/path-pattern.ts'
import { createDevKernel, type Kernel, memoryStorage } from '../../src/index.ts'
import { type Counted, counted } from '../fixtures/counted-commits.ts'
import { completed, EVERY_OPERATION, type Known, methodOf, mountAll, typedOutcome } from '../fixtures/every-operation.ts'
import { fill, furnish, furnishedPorts, EVERY_OPERATION as LISTED, type Listed } from '../fixtures/good-requests.ts'

/** All capabilities except `create`, so that other spellings create no records. */
const MOST = '["read", "update", "delete", "list", "patch", "sudo"]'

let kernel: Kernel
let store: Counted
let policies = 0
const tokens = new Map<string, string>()

/** A token that may do everything except at some paths, relative to its namespace. */
async function tokenWithout(space: string, ...paths: readonly string[]): Promise<string> {
  const rules = paths.map((path) => `path ${JSON.stringify(path)} { capabilities = ["deny"] }`)
  return tokenWith(space, `path "*" { capabilities = ${MOST} }\n${rules.join('\n')}`)
}

async function tokenWith(space: string, policy: string): Promise<string> {
  const key = `${space} ${policy}`
  const known = tokens.get(key)
  if (known !== undefined) return known
  const view = space === '' ? kernel : kernel.namespace(space)
  const name = `spelling-${policies++}`
  await view.policies.writePolicy({ name, policy })
  const { client_token } = await view.tokens.createToken({ policies: [name], no_default_policy: true, no_parent: true })
  tokens.set(key, client_token)
  return client_token
}

beforeAll(async () => {
  store = counted(memoryStorage())
  kernel = await createDevKernel({ storage: store, ports: furnishedPorts() })
  await furnish((method, path, body) => ask(method, path, kernel.rootToken, body))
  await kernel.namespaces.createNamespace({ name: 'ns1' })
  await mountAll(kernel.namespace('ns1/'), false)
})
afterAll(() => kernel.close())

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

const ask = (method: string, path: string, token: string | undefined, body?: object, headers = {}) =>
  kernel.handle({
    method,
    path: `/v1/${path}`,
    headers: { 'X-Service-Token': token, 'Content-Type': 'application/merge-patch+json', ...headers },
    ...(body && (method === 'POST' || method === 'PUT' || method === 'PATCH') ? { body } : {}),
  })

/** Texts that might be taken for `name`: other cases, look-alikes, padding, encodings, numbers. */
function spellingsOf(name: string): readonly string[] {
  const capital = name.charAt(0).toUpperCase() + name.slice(1)
  const number = /^\d+$/.test(name) ? [`0${name}`, `+${name}`, `${name}.0`, `${name}e0`, `v${name}`] : []
  const twice = encodeURIComponent(`%${name.charCodeAt(0).toString(16)}${name.slice(1)}`)
  const texts = [
    ...[name.toUpperCase(), capital, name.slice(0, -1) + name.slice(-1).toUpperCase()],
    ...[
      name.replaceAll('k', '\u212a'),
      name.replaceAll('s', '\u017f'),
      name.replaceAll('i', '\u0130'),
      name.replaceAll('i', '\u0131'),
    ],
    ...[name.normalize('NFD'), `${name}\u0301`, `${name}\u200b`, `\ufeff${name}`, `${name}\u00a0`],
    ...[name.replace(/[a-z]/, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0))],
    ...[`${name} `, ` ${name}`, `${name}/`, `${name}//`, `/${name}`, `./${name}`, `${name}/.`, `x/../${name}`, `${name}.`],
    ...[`${name}?`, `${name}#`, `${name};a=b`, `${name}*`, `+${name}`, ...number],
  ]
  return [...new Set(texts.filter((text) => text !== name).map(encoded)), twice]
}

/** The paths of a request with one of its captures in another spelling. */
function pathsOf({ operation, place }: Listed, path: string): readonly string[] {
  const below = decodeURIComponent(path).slice(place.length)
  const captures = PathPattern.of(operation.path).match(below.split('/')) ?? {}
  return Object.entries(captures).flatMap(([name, value]) =>
    value === '' ? [] : spellingsOf(value).map((text) => `${place}${respelled(operation.path, captures, name, text)}`),
  )
}

const respelled = (template: string, captures: Readonly<Record<string, string>>, name: string, text: string): string =>
  template
    .replaceAll(/\(?\/[:*+](\w+)\)?/g, (_, one: string) => {
      const value = one === name ? text : encoded(captures[one] ?? '')
      return value === '' ? '' : `/${value}`
    })
    .slice(1)

/** Folders of records that are written together with many others. */
const SHARED = /\/(?:due|guard|ending)\//

/** The keys that were written after the first `count` commits. */
const keysSince = (count: number): ReadonlySet<string> =>
  new Set(
    store.commits
      .slice(count)
      .flatMap(({ ops }) => ops.flatMap((op) => ((op.op === 'put' || op.op === 'del') && !SHARED.test(op.key) ? [op.key] : []))),
  )

// Reads first, because they would find records that other spellings created.
const NAMED = LISTED.filter(
  ({ operation }) => /[:*+]\w/.test(operation.path) && !operation.unauthenticated && !operation.path.includes('import'),
).toSorted((a, b) => Number(a.operation.kind !== 'read') - Number(b.operation.kind !== 'read'))

/** The data of an answer, without members that differ for each request. */
const shownBy = (body: unknown): string => JSON.stringify((body as { data?: unknown } | undefined)?.data)

describe('a token that is denied a path', () => {
  it.each(NAMED.map((listed) => [listed.title, listed] as const))(
    'cannot reach the record of %s by another spelling of the path',
    async (_, listed) => {
      const { verb, path, body } = fill(listed)
      const token = await tokenWithout('', decodeURIComponent(path))
      expect((await ask(verb, path, token, body)).status).toBe(403)
      const passed: { readonly spelling: string; readonly keys: ReadonlySet<string>; readonly shown: string }[] = []
      for (const spelling of pathsOf(listed, path)) {
        const before = store.commits.length
        const { status, body: responseBody } = await ask(verb, spelling, token, body)
        if (status < 400) passed.push({ spelling, keys: keysSince(before), shown: shownBy(responseBody) })
      }
      if (passed.length === 0) return
      const before = store.commits.length
      const own = shownBy((await ask(verb, path, kernel.rootToken, body)).body)
      const keys = keysSince(before)
      const isReached = ({ keys: written, shown }: (typeof passed)[number]): boolean =>
        listed.operation.kind === 'read' ? shown === own : [...written].some((key) => keys.has(key))
      expect(passed.filter(isReached)).toEqual([])
    },
  )
})

/** Operations whose definition says that their paths have several spellings. */
const SPELLED = EVERY_OPERATION.filter(({ operation }) => PathSpelling.of(operation))

const NAME = 'risk'

const capturesOf = ({ operation }: Known): readonly string[] =>
  [...operation.path.matchAll(/\/[:*+](\w+)/g)].map(([, name]) => name as string)

const ignoredBy = ({ operation }: Known, name: string): unknown => operation.fields[name]?.ignores

/** The value of a capture in the requests of this file. */
function valueOfCapture(known: Known, name: string, value = NAME): string {
  const aliased = aliasedCapture(known)
  return aliased?.capture === name ? aliased.own : value
}

/** Other texts for the name, by the differences that an operation ignores. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  case: ['RISK', 'Risk', 'risK', 'ris\u212a', 'R\u0130S\u212a'],
  slashes: ['risk/'],
}

/** The capture whose values have aliases, such as the type of a sync destination, and its canonical value here. */
function aliasedCapture({ operation }: Known): { readonly capture: string; readonly own: string } | undefined {
  const { path, segmentAliases } = operation
  const [, capture] = segmentAliases ? (new RegExp(`^/${segmentAliases.after}:(\\w+)`).exec(path) ?? []) : []
  return capture === undefined ? undefined : { capture, own: Object.values(segmentAliases?.aliases ?? {})[0] as string }
}

/** The paths with aliases for a segment. */
function withOtherSegment({ operation }: Known, path: string): readonly string[] {
  const { after = '', aliases = {} } = operation.segmentAliases ?? {}
  return Object.entries(aliases).flatMap(([other, own]) =>
    `${path}/`.startsWith(`${after}${own}/`) ? [after + other + path.slice(after.length + own.length)] : [],
  )
}

interface Aliases {
  /** The path with the name, relative to the mount of the operation. */
  readonly own: string
  /** The other paths of the same record in this operation, including old paths. */
  readonly others: readonly string[]
}

function aliasesOf(known: Known): Aliases {
  const { path, aliasPaths: alsoAt = [] } = known.operation
  const last = capturesOf(known).at(-1) ?? ''
  const at = (template: string, text = NAME): string =>
    template
      .replaceAll(/\(?\/[:*+](\w+)\)?/g, (_, name) => `/${valueOfCapture(known, name, name === last ? text : NAME)}`)
      .slice(1)
  // Only a capture of several segments can contain a slash in a request, and only at its end.
  const texts = (ALIASES[String(ignoredBy(known, last))] ?? []).filter(
    (text) => !text.endsWith('/') || new RegExp(`[*+]${last}$`).test(path),
  )
  // Old paths that end in a slash list names, with a verb that the current path does not have.
  const old = alsoAt.filter((template) => !template.endsWith('/'))
  return {
    own: at(path),
    others: [
      ...withOtherSegment(known, at(path)),
      ...texts.map((text) => at(path, text)),
      ...old.flatMap((template) => [NAME, ...texts].map((text) => at(template, text))),
    ],
  }
}

const SPACES = ['', 'ns1/']

const ALIASED = SPACES.flatMap((space) =>
  SPELLED.filter(({ operation }) => space === '' || !operation.rootOnly).map((known) => [known.title, space, known] as const),
)

it('this test covers operations that ignore case, slashes or number forms, or have an old path', () => {
  const kinds = new Set(
    SPELLED.flatMap((known) => [...capturesOf(known).map((name) => ignoredBy(known, name)), known.operation.aliasPaths && 'old']),
  )
  expect(kinds).toEqual(new Set([undefined, 'case', 'slashes', 'number form', 'old']))
})

it('no operation ignores case in a name that is followed by another name in the path', () => {
  for (const known of SPELLED) {
    const ignored = capturesOf(known).map((name) => ignoredBy(known, name))
    expect([known.title, ignored.slice(0, -1)]).toEqual([known.title, ignored.slice(0, -1).filter((kind) => kind !== 'case')])
  }
})

it('operations with the same path ignore the same differences between names', () => {
  const byPath = new Map<string, Set<string>>()
  for (const known of EVERY_OPERATION) {
    const key = known.mount + known.operation.path
    const kinds = capturesOf(known).map((name) => `${name} ${ignoredBy(known, name)}`)
    byPath.set(key, (byPath.get(key) ?? new Set()).add(kinds.join()))
  }
  expect([...byPath].filter(([, kinds]) => kinds.size > 1)).toEqual([])
})

/** The same request by path and by namespace header, wrapped and not wrapped, and with both verbs of a write. */
async function statusesAt(space: string, verb: string, path: string, token: string): Promise<ReadonlySet<number>> {
  const statuses = new Set<number>()
  const verbs = verb === 'POST' ? ['POST', 'PUT'] : [verb]
  const targets = [
    [space + encoded(path), {}] as const,
    ...(space === '' ? [] : [[encoded(path), { 'X-Service-Namespace': space }] as const]),
  ]
  for (const verb of verbs)
    for (const [target, headers] of targets)
      for (const wrapped of [{}, { 'X-Service-Wrap-TTL': '60' }])
        statuses.add((await ask(verb, target, token, {}, { ...headers, ...wrapped })).status)
  return statuses
}

const DENIED = new Set([403])

const viewIn = (space: string) => (space === '' ? kernel : kernel.namespace(space))

const OPERATIONS = { GET: 'read', POST: 'update', DELETE: 'delete', LIST: 'list' } as const

async function expectNothingAt(space: string, known: Known, path: string, token: string): Promise<void> {
  const { verb } = known.operation
  // A write to a path that ends in a slash is refused before authorization.
  if (!(verb === 'POST' && path.endsWith('/'))) expect([path, await statusesAt(space, verb, path, token)]).toEqual([path, DENIED])
  const { by_path } = await viewIn(space).policies.capabilities({ token, paths: [path] })
  if (verb !== 'LIST') expect(by_path).toEqual({ [path]: ['deny'] })
  const operation = OPERATIONS[verb as keyof typeof OPERATIONS]
  expect(await viewIn(space).policies.explain({ token, operation, path })).toMatchObject({ allowed: false })
  if (space === '') return
  const fromRoot = await kernel.policies.explain({ token, operation, path: space + path })
  expect(fromRoot).toMatchObject({ allowed: false })
}

/** The texts for a capture that reach one record in typed calls. */
function typedTexts(known: Known, name: string): readonly string[] {
  const aliased = aliasedCapture(known)
  if (aliased?.capture !== name) return [NAME, ...(ALIASES[String(ignoredBy(known, name))] ?? [])]
  const { aliases = {} } = known.operation.segmentAliases ?? {}
  return [aliased.own, ...Object.keys(aliases).filter((candidate) => aliases[candidate] === aliased.own)]
}

describe('a deny rule for a record', () => {
  // Requests of earlier tests have revoked tokens.
  beforeAll(() => tokens.clear())

  it.each(ALIASED)('applies to every spelling of the path in a request: %s in namespace "%s"', async (_, space, known) => {
    const { own, others } = aliasesOf(known)
    const token = await tokenWithout(space, known.mount + own)
    for (const path of [own, ...others]) await expectNothingAt(space, known, known.mount + path, token)
    const typed = methodOf(viewIn(space).as(token), known)
    const names = capturesOf(known)
    const plain = Object.fromEntries(names.map((name) => [name, valueOfCapture(known, name)]))
    for (const name of names)
      for (const text of typedTexts(known, name)) {
        const args = completed(known, { ...plain, [name]: text }, 'typed')
        // Some of these letters are invalid in names, which is a 404.
        if (typed) expect([403, /^[\w/-]+$/.test(text) ? 403 : 404]).toContain((await typedOutcome(() => typed(args))).status)
      }
  })

  it.each(ALIASED)(
    'applies if the rule uses another spelling of the path than the request: %s in namespace "%s"',
    async (_, space, known) => {
      const { own, others } = aliasesOf(known)
      for (const spelled of others) {
        const token = await tokenWithout(space, known.mount + spelled)
        await expectNothingAt(space, known, known.mount + own, token)
      }
    },
  )

  it.each(ALIASED)('does not apply to other records: %s in namespace "%s"', async (_, space, known) => {
    const { own } = aliasesOf(known)
    if (!own.includes(NAME)) return
    const rules = ['other', `${NAME}2`].map((name) => `path "${known.mount}${own.replace(NAME, name)}" { policy = "deny" }`)
    const token = await tokenWith(space, `path "*" { capabilities = ${MOST.replace('[', '["create", ')} }\n${rules.join('\n')}`)
    const { verb } = known.operation
    expect(await statusesAt(space, verb, known.mount + own, token)).not.toContain(403)
  })
})

describe('a grant for a name whose case is ignored', () => {
  const FOLDED = ALIASED.filter(([, , known]) => capturesOf(known).some((name) => ignoredBy(known, name) === 'case'))

  it.each(FOLDED)('may be written in any case: %s in namespace "%s"', async (_, space, known) => {
    const { own } = aliasesOf(known)
    const cased = known.mount + own.replace(NAME, 'Ris\u212a')
    const token = await tokenWith(space, `path ${JSON.stringify(cased)} { capabilities = ${MOST.replace('[', '["create", ')} }`)
    for (const text of [NAME, 'RISK', 'Risk']) {
      const path = known.mount + own.replace(NAME, text)
      expect([text, await statusesAt(space, known.operation.verb, path, token)]).not.toEqual([text, DENIED])
    }
    const { by_path } = await viewIn(space).policies.capabilities({ token, paths: [known.mount + own] })
    expect(Object.values(by_path)[0]).toContain('update')
  })
})

it('the case of mounts and namespaces is significant, even if the case of the name after them is ignored', async () => {
  await kernel.mounts.createAuthMethod({ path: 'Orchestrator', type: 'orchestrator' })
  const token = await tokenWithout('', 'auth/Orchestrator/role/Risk')
  expect((await ask('GET', 'auth/orchestrator/role/risk', token)).status).toBe(404)
  expect((await ask('GET', 'auth/Orchestrator/role/risk', token)).status).toBe(403)
})

it('policies.explain returns the path of a rule in its canonical spelling', async () => {
  const token = await tokenWithout('', 'sys/policies/acl/Risk')
  const why = await kernel.policies.explain({ token, operation: 'update', path: 'sys/policies/acl/RISK' })
  expect(why).toMatchObject({ allowed: false, rule: { pattern: `sys/policies/acl/${foldName('Risk')}`, capabilities: ['deny'] } })
})
