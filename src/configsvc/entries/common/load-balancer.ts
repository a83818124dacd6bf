/** Settings for how a proxy chooses an instance of a service. */
import { invalid } from '../../../core/base/errors.ts'
import { bool, int, list, nanoseconds, record, text, uint32, word } from '../members/index.ts'
import { checkExclusive, checkRequires } from './alternatives.ts'

/** The policies that choose an instance by a hash of the request. */
const HASHING = ['ring_hash', 'maglev']

const POLICIES = ['random', 'round_robin', 'least_request', 'ring_hash', 'maglev'] as const

const cookieConfig = record(
  { Session: bool(), TTL: nanoseconds(), Path: text() },
  { rule: (cookie, path) => checkExclusive(cookie, 'Session', ['TTL'], path) },
)

const hashPolicy = record(
  {
    Field: word(['header', 'cookie', 'query_parameter']),
    FieldValue: text(),
    CookieConfig: cookieConfig,
    SourceIP: bool(),
    Terminal: bool(),
  },
  {
    rule: (policy, path) => {
      checkExclusive(policy, 'SourceIP', ['Field', 'FieldValue'], path)
      checkRequires(policy, ['Field'], 'FieldValue', path)
      checkRequires(policy, ['FieldValue'], 'Field', path)
      if (policy.CookieConfig && policy.Field !== 'cookie') throw invalid(`${path}.CookieConfig: requires the Field "cookie"`)
    },
  },
)

export const LOAD_BALANCER = record(
  {
    Policy: word(POLICIES),
    RingHashConfig: record({ MinimumRingSize: int({ least: 0 }), MaximumRingSize: int({ least: 0 }) }),
    LeastRequestConfig: record({ ChoiceCount: uint32() }),
    HashPolicies: list(hashPolicy),
  },
  {
    rule: ({ Policy = '', RingHashConfig, LeastRequestConfig, HashPolicies }, path) => {
      if (RingHashConfig && Policy !== 'ring_hash') throw invalid(`${path}.RingHashConfig: requires the Policy "ring_hash"`)
      if (LeastRequestConfig && Policy !== 'least_request')
        throw invalid(`${path}.LeastRequestConfig: requires the Policy "least_request"`)
      if (HashPolicies && !HASHING.includes(Policy))
        throw invalid(`${path}.HashPolicies: requires the Policy "ring_hash" or "maglev"`)
    },
  },
)
