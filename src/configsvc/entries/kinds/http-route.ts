/** http-route: the services to which a gateway sends HTTP requests. Its members have no aliases. */
import { invalid } from '../../../core/base/errors.ts'
import { MESH_ACCESS } from '../common/access.ts'
import { isDnsName } from '../common/host-names.ts'
import { checkAbsolutePath, checkHasName, method } from '../common/http-match.ts'
import { servicesOf } from '../common/named-services.ts'
import { PARENTS, parentsOf } from '../common/parents.ts'
import { defineKind, type NormalizedEntryOf } from '../kind.ts'
import {
  bool,
  checkWord,
  type EntryMembers,
  int,
  list,
  map,
  nanoseconds,
  quotedValue,
  type RecordMemberRules,
  type RecordOf,
  record,
  text,
  uint32,
  unsupported,
} from '../members/index.ts'
import { anyName, nameOfOther } from '../names.ts'

const plain = <M extends EntryMembers>(members: M, rules: RecordMemberRules<RecordOf<M>> = {}) =>
  record(members, { ...rules, plain: true })

const hostname = text({
  rule: (name, path) => {
    if (!isDnsName(name)) throw invalid(`${path}: the host must be a DNS name without a wildcard, not ${quotedValue(name)}`)
  },
})

/** Specifies how the value of a header or query parameter is compared. */
const comparison = (ways: readonly string[]) =>
  plain(
    { Match: text(), Name: text(), Value: text() },
    {
      rule: (value, path) => {
        checkWord(ways, value.Match ?? '', `${path}.Match`)
        checkHasName(value, path)
      },
    },
  )

const PATH = { Match: text(), Value: text() }

/** A match that accepts all paths. */
const ANY_PATH: RecordOf<typeof PATH> = { Match: 'prefix', Value: '/' }

const path = plain(PATH, {
  rule: ({ Match = '', Value = '' }, at) => {
    checkWord(['exact', 'prefix', 'regex'], Match, `${at}.Match`)
    if (Match !== 'regex') checkAbsolutePath(Value, `${at}.Value`)
  },
})

const match = plain(
  {
    Headers: list(comparison(['exact', 'prefix', 'suffix', 'present', 'regex'])),
    Method: method(),
    Path: path,
    Query: list(comparison(['exact', 'present', 'regex'])),
  },
  { normal: (value) => ({ ...value, Path: value.Path === undefined || path.isEmpty(value.Path) ? ANY_PATH : value.Path }) },
)

const HEADERS = list(plain({ Add: map(text()), Set: map(text()), Remove: list(text()) }))

const FILTERS = {
  Filters: plain({
    Headers: HEADERS,
    URLRewrite: plain({ Path: text() }),
    RetryFilter: plain({
      NumRetries: uint32(),
      RetryOn: list(text()),
      RetryOnStatusCodes: list(uint32()),
      RetryOnConnectFailure: bool(),
    }),
    TimeoutFilter: plain({ RequestTimeout: nanoseconds(), IdleTimeout: nanoseconds() }),
    JWT: unsupported(),
  }),
  ResponseFilters: plain({ Headers: HEADERS }),
}

const service = plain(
  { Name: nameOfOther(), Weight: int(), ...FILTERS, Namespace: text(), Partition: text() },
  {
    normal: ({ Weight = 0, ...rest }) => ({ ...rest, Weight: Math.max(1, Weight) }),
    rule: checkHasName,
  },
)

const members = {
  Parents: PARENTS,
  Hostnames: list(hostname),
  Rules: list(plain({ Matches: list(match), ...FILTERS, Services: list(service) })),
}

export type HttpRoute = NormalizedEntryOf<typeof members>

function* related(route: HttpRoute) {
  yield* parentsOf(route)
  for (const { Services = [] } of route.Rules ?? []) yield* servicesOf(Services)
}

export const httpRoute = defineKind({
  name: 'http-route',
  members,
  plain: true,
  nameOf: anyName,
  hasStatus: true,
  ...MESH_ACCESS,
  refersTo: related,
})
