/** service-intentions: which services may connect to a service. */
import { invalid } from '../../../core/base/errors.ts'
import { checkAtMostOne, checkExactlyOne } from '../common/alternatives.ts'
import { duplicateItem } from '../common/distinct.ts'
import { checkHasName, checkPaths, methods, PATHS } from '../common/http-match.ts'
import { foldEntryName } from '../graph/graph-entries.ts'
import { defineKind, type EntryReference, type EntryType, type NormalizedEntryOf } from '../kind.ts'
import { bool, int, list, map, type RecordOf, record, text, word } from '../members/index.ts'
import { isLongerThanBytes } from '../meta.ts'
import { anyName, nameOfOther, WILDCARD } from '../names.ts'

const ACTIONS = ['allow', 'deny'] as const

const MAX_DESCRIPTION_BYTES = 512

const MATCHERS = ['Present', 'Exact', 'Prefix', 'Suffix', 'Contains', 'Regex']

const provider = record(
  { Name: nameOfOther(), VerifyClaims: list(record({ Path: list(text()), Value: text() })) },
  { rule: checkHasName },
)

/** The JSON Web Tokens that a request must contain, and the claims that they must have. */
const JWT_REQUIREMENTS = record({ Providers: list(provider) })

const header = record(
  {
    Name: text(),
    Present: bool(),
    Exact: text(),
    Prefix: text(),
    Suffix: text(),
    Contains: text(),
    Regex: text(),
    IgnoreCase: bool(),
    Invert: bool(),
  },
  {
    rule: (value, path) => {
      checkHasName(value, path)
      checkExactlyOne(value, MATCHERS, path)
      if (value.IgnoreCase && (value.Present || value.Regex !== undefined))
        throw invalid(`${path}.IgnoreCase: requires Exact, Prefix, Suffix or Contains`)
    },
  },
)

const permission = record(
  {
    Action: word(ACTIONS),
    HTTP: record({ ...PATHS, Header: list(header), Methods: methods() }, { rule: checkPaths }),
    JWT: JWT_REQUIREMENTS,
  },
  {
    rule: ({ Action, HTTP }, path) => {
      if (Action === undefined) throw invalid(`${path}.Action: must be allow or deny`)
      if (!HTTP) throw invalid(`${path}.HTTP: is required; it selects the requests of the permission`)
    },
  },
)

/** A name must be the wildcard, or must not contain it. @throws KernelError 400 */
function checkWildcard(name: string, path: string): string {
  if (name !== WILDCARD && name.includes(WILDCARD)) throw invalid(`${path}: must be "*" or a name without "*"`)
  return name
}

/** A name without any wildcard. */
const exact = () =>
  nameOfOther((name, path) => {
    if (name.includes(WILDCARD)) throw invalid(`${path}: must not contain "*"`)
  })

const SOURCE = {
  Name: nameOfOther((name, path) => void checkWildcard(name, path)),
  Partition: exact(),
  Namespace: text(),
  Peer: exact(),
  SamenessGroup: exact(),
  Action: word(ACTIONS),
  Permissions: list(permission),
  Precedence: int(),
  Type: word(['consul']),
  Description: text({
    rule: (value, path) => {
      if (isLongerThanBytes(value, MAX_DESCRIPTION_BYTES))
        throw invalid(`${path}: must be at most ${MAX_DESCRIPTION_BYTES} bytes`)
    },
  }),
  LegacyMeta: map(text(), (_meta, path) => {
    throw invalid(`${path}: must be empty; use Meta for notes`)
  }),
}

type Source = RecordOf<typeof SOURCE>

const source = record(SOURCE, {
  ignores: ['LegacyID', 'LegacyCreateTime', 'LegacyUpdateTime'],
  rule: (value, path) => {
    checkHasName(value, path)
    checkAtMostOne(value, ['Peer', 'Partition', 'SamenessGroup'], path)
    if (value.Action === undefined && !value.Permissions) throw invalid(`${path}.Action: must be allow or deny`)
    if (value.Action !== undefined && value.Permissions)
      throw invalid(`${path}.Action: must not be given together with Permissions, which have their own actions`)
  },
})

const members = { JWT: JWT_REQUIREMENTS, Sources: list(source) }

type Intentions = NormalizedEntryOf<typeof members>

/** More specific intentions take precedence over less specific ones. */
const precedence = (destination: string, name: string | undefined): number =>
  (destination === WILDCARD ? 6 : 9) - (name === WILDCARD ? 1 : 0)

/** Stores sources in the order of their precedence. */
const normal = (entry: Intentions): Intentions => ({
  ...entry,
  Sources: (entry.Sources ?? [])
    .map((one): Source => ({ ...one, Type: one.Type || 'consul', Precedence: precedence(entry.Name, one.Name) }))
    .sort((a, b) => (b.Precedence as number) - (a.Precedence as number)),
})

function checkSources({ Name, Sources = [] }: Intentions): void {
  if (Sources.length === 0) throw invalid('Sources: must contain at least one source')
  const seen = new Set<string>()
  for (const [
    index,
    { Name: from, Namespace = '', Partition = '', Peer = '', SamenessGroup = '', Permissions },
  ] of Sources.entries()) {
    if (Permissions && Name === WILDCARD)
      throw invalid(
        `Sources[${index}].Permissions: are not allowed for the destination "*", because they need a service with protocol http`,
      )
    const key = JSON.stringify([foldEntryName(from ?? ''), Namespace, Partition, Peer, SamenessGroup])
    if (seen.has(key)) throw duplicateItem(`Sources[${index}]`, { Name: from, Namespace, Partition, Peer, SamenessGroup })
    seen.add(key)
  }
}

/** Duplicates are not removed. */
function* providers({ JWT, Sources = [] }: Intentions): Iterable<EntryReference> {
  const requirements = [JWT, ...Sources.flatMap(({ Permissions = [] }) => Permissions.map((one) => one.JWT))]
  for (const one of requirements) for (const { Name = '' } of one?.Providers ?? []) yield { to: 'jwt-provider', name: Name }
}

export const serviceIntentions = defineKind({
  name: 'service-intentions',
  members,
  nameOf: (name) => checkWildcard(anyName(name), 'Name'),
  normal,
  rule: checkSources,
  readers: (name) => [{ permission: 'intention:read', segment: name }],
  writers: ({ Name }) => [{ permission: 'intention:write', segment: Name }],
  refersTo: providers,
})

export type ServiceIntentions = EntryType<typeof serviceIntentions>
