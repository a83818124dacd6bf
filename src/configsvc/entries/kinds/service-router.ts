/** service-router: the destinations of HTTP requests for a service. */
import { invalid } from '../../../core/base/errors.ts'
import { checkExactlyOne } from '../common/alternatives.ts'
import { HEADER_MODIFIERS } from '../common/header-modifiers.ts'
import { checkHasName, checkPaths, methods, PATHS } from '../common/http-match.ts'
import { chainAccess, type RelatedService } from '../common/related-services.ts'
import { defineKind, type EntryType, type NormalizedEntryOf } from '../kind.ts'
import { bool, duration, list, record, text, uint32, word } from '../members/index.ts'
import { nameOfOther } from '../names.ts'

const RETRY_CONDITIONS = [
  '5xx',
  'gateway-error',
  'reset',
  'connect-failure',
  'envoy-ratelimited',
  'retriable-4xx',
  'refused-stream',
  'cancelled',
  'deadline-exceeded',
  'internal',
  'resource-exhausted',
  'unavailable',
] as const

const header = record(
  { Name: text(), Present: bool(), Exact: text(), Prefix: text(), Suffix: text(), Regex: text(), Invert: bool() },
  {
    rule: (value, path) => {
      checkHasName(value, path)
      checkExactlyOne(value, ['Present', 'Exact', 'Prefix', 'Suffix', 'Regex'], path)
    },
  },
)

const queryParam = record(
  { Name: text(), Present: bool(), Exact: text(), Regex: text() },
  {
    rule: (value, path) => {
      checkHasName(value, path)
      checkExactlyOne(value, ['Present', 'Exact', 'Regex'], path)
    },
  },
)

const httpMatch = record(
  { ...PATHS, CaseInsensitive: bool(), Header: list(header), QueryParam: list(queryParam), Methods: methods() },
  { rule: checkPaths },
)

const destination = record({
  Service: nameOfOther(),
  ServiceSubset: text(),
  Namespace: text(),
  Partition: text(),
  PrefixRewrite: text(),
  RequestTimeout: duration(),
  IdleTimeout: duration(),
  NumRetries: uint32(),
  RetryOnConnectFailure: bool(),
  RetryOn: list(word(RETRY_CONDITIONS)),
  RetryOnStatusCodes: list(uint32()),
  RequestHeaders: HEADER_MODIFIERS,
  ResponseHeaders: HEADER_MODIFIERS,
})

const route = record(
  { Match: record({ HTTP: httpMatch }), Destination: destination },
  {
    rule: ({ Match: { HTTP } = {}, Destination }, path) => {
      if (Destination?.PrefixRewrite !== undefined && !HTTP?.PathExact && !HTTP?.PathPrefix)
        throw invalid(`${path}.Destination.PrefixRewrite: requires PathExact or PathPrefix, whose path it replaces`)
    },
  },
)

const members = { Routes: list(route) }

/** Requests that match no route go to the service itself. */
function* related({ Name, Routes = [] }: NormalizedEntryOf<typeof members>): Iterable<RelatedService> {
  yield { name: Name }
  for (const { Destination: { Service, Namespace } = {} } of Routes) yield { name: Service || Name, namespace: Namespace }
}

export const serviceRouter = defineKind({ name: 'service-router', members, ...chainAccess(related) })

export type ServiceRouter = EntryType<typeof serviceRouter>
