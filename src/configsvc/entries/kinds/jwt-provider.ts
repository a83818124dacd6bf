/** jwt-provider: an issuer of JSON Web Tokens that intentions require. */
import { invalid } from '../../../core/base/errors.ts'
import { MESH_ACCESS } from '../common/access.ts'
import { checkExactlyOne } from '../common/alternatives.ts'
import { checkHasName } from '../common/http-match.ts'
import { KEY_SET } from '../common/key-set.ts'
import { defineKind, type EntryType } from '../kind.ts'
import { bool, int, keepZero, list, record, text } from '../members/index.ts'
import { anyName } from '../names.ts'

const CLOCK_SKEW_SECONDS = 30

const LOCATION = {
  Header: keepZero(record({ Name: text(), ValuePrefix: text(), Forward: bool() }, { rule: checkHasName })),
  QueryParam: keepZero(record({ Name: text() })),
  Cookie: keepZero(record({ Name: text() }, { rule: checkHasName })),
}

/** The part of a request that contains the token. */
const location = record(LOCATION, { rule: (value, path) => checkExactlyOne(value, Object.keys(LOCATION), path) })

export const jwtProvider = defineKind({
  name: 'jwt-provider',
  members: {
    JSONWebKeySet: KEY_SET,
    Issuer: text(),
    Audiences: list(text()),
    Locations: list(location),
    Forwarding: record({ HeaderName: text(), PadForwardPayloadHeader: bool() }),
    ClockSkewSeconds: int(),
    CacheConfig: record({ Size: int() }),
  },
  nameOf: anyName,
  normal: (entry) => ({ ...entry, ClockSkewSeconds: entry.ClockSkewSeconds || CLOCK_SKEW_SECONDS }),
  rule: ({ JSONWebKeySet }) => {
    if (!JSONWebKeySet) throw invalid('JSONWebKeySet: is required')
  },
  // Proxies need these settings to verify tokens, and read them with the permissions of their service.
  readers: () => [...MESH_ACCESS.readers(), { permission: 'service:write', any: true }],
  writers: MESH_ACCESS.writers,
})

export type JwtProvider = EntryType<typeof jwtProvider>
