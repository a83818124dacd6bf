import { invalid } from '../../core/base/errors.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { checkAuthorities, MAX_HOST_CHARACTERS, MAX_REVIEWER_TOKEN_CHARACTERS } from '../../core/jwt/review-config.ts'
import { type ConfigRecord, findConfig, putConfig, verificationKeysOf } from './config-record.ts'
import { localCa, UNREADABLE } from './local.ts'

const HOST = 'host, host:port or URL. The scheme defaults to https.'

/**
 * @throws KernelError 400 if `orchestrator_host` is missing, if a certificate or a key cannot be parsed, if `pem_keys` has more than 32
 *   keys, or if the method does not use the local certificates of the host and neither `orchestrator_ca_cert` nor `pem_keys` is given.
 */
export const configure = operation({
  kind: 'write',
  verb: 'POST',
  path: '/config',
  forwardable: true,
  summary:
    'Replaces the configuration. Omitted parameters get their defaults, so a stored reviewer token is removed if it is not sent again.',
  fields: {
    orchestrator_host: f.text(`The API server that reviews tokens: ${HOST}`).called('kubernetes_host'),
    orchestrator_ca_cert: f
      .text('CA certificates that verify the API server, in PEM. Default: the local certificates of the pod.')
      .called('kubernetes_ca_cert')
      .default(''),
    token_reviewer_jwt: f
      .text(
        'The token that authorizes reviews. Default: the local token of the pod or, outside of a pod, the token that logs in.',
      )
      .default(''),
    pem_keys: f
      .list(
        'Public keys or certificates in PEM. If the list is not empty, the signature of a token must be valid for one of them.',
      )
      .default([]),
    disable_local_ca_jwt: f.bool('Whether to use neither the local certificates nor the local token of the pod.').default(false),
    disable_iss_validation: f.bool('Whether to accept tokens of any issuer.').deprecate().default(true),
    issuer: f
      .text('The issuer that tokens must have, unless `disable_iss_validation` is true. Default: `kubernetes/serviceaccount`.')
      .deprecate()
      .default(''),
  },
  returns: {},
  run: (tx, input) => {
    const { orchestrator_host: host, orchestrator_ca_cert: ca_cert, ...rest } = input
    if (host === '') throw invalid('orchestrator_host: no host provided')
    const config: ConfigRecord = { host, ca_cert, ...rest }
    validateConfig(tx, config)
    putConfig(tx, config)
    tx.event('auth_config.written', {})
    return undefined
  },
})

/** The number of keys is limited, because a login tries one key after another until one verifies its token. */
const MAX_KEYS = 32

function validateConfig(tx: Tx, config: ConfigRecord): void {
  const { host, ca_cert, token_reviewer_jwt, pem_keys, disable_local_ca_jwt } = config
  if (host.length > MAX_HOST_CHARACTERS) throw invalid(`orchestrator_host: must be at most ${MAX_HOST_CHARACTERS} characters`)
  if (token_reviewer_jwt.length > MAX_REVIEWER_TOKEN_CHARACTERS)
    throw invalid(`token_reviewer_jwt: must be at most ${MAX_REVIEWER_TOKEN_CHARACTERS} characters`)
  if (pem_keys.length > MAX_KEYS) throw invalid(`pem_keys: must be at most ${MAX_KEYS} keys`)
  if (ca_cert !== '') checkAuthorities(ca_cert, 'orchestrator_ca_cert')
  verificationKeysOf(config, tx.env.crypto)
  if (ca_cert !== '' || pem_keys.length > 0) return
  const local = disable_local_ca_jwt ? null : localCa(tx)
  if (local === null || local === UNREADABLE)
    throw invalid('orchestrator_ca_cert, pem_keys: one of them is required if no local certificates are used')
}

/** @throws KernelError 404 if the method is not configured. */
export const readConfig = operation({
  kind: 'read',
  verb: 'GET',
  path: '/config',
  summary: 'Reads the configuration. The reviewer token is not returned.',
  fields: {},
  returns: {
    orchestrator_host: f.text(`The API server as it was written: ${HOST}`).called('kubernetes_host'),
    orchestrator_ca_cert: f
      .text('The configured CA certificates in PEM; empty if the local certificates are used.')
      .called('kubernetes_ca_cert'),
    token_reviewer_jwt_set: f.bool('Whether a reviewer token is configured.'),
    pem_keys: f.json<readonly string[]>('Public keys or certificates in PEM.', { type: 'array' }),
    disable_local_ca_jwt: f.bool('Whether the local certificates and the local token of the pod are ignored.'),
    disable_iss_validation: f.bool('Whether tokens of any issuer are accepted.').deprecate(),
    issuer: f.text('The required issuer of tokens.').deprecate(),
  },
  run: (tx) => {
    const config = findConfig(tx)
    if (!config) return undefined
    const { host, ca_cert, token_reviewer_jwt, pem_keys, ...rest } = config
    return {
      orchestrator_host: host,
      orchestrator_ca_cert: ca_cert,
      token_reviewer_jwt_set: token_reviewer_jwt !== '',
      pem_keys: [...pem_keys],
      ...rest,
    }
  },
})
