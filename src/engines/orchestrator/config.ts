/** config: writing and reading the configuration (spec document 1, "Orchestrator auth method"). */
import { invalid } from '../../core/base/errors.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import { checkAuthorities, LONGEST_HOST, LONGEST_REVIEWER_TOKEN } from '../../core/jwt/reviewing.ts'
import { type ConfigRecord, findConfig, putConfig, verificationKeysOf } from './config-record.ts'
import { localCa, UNREADABLE } from './local.ts'

const HOST = 'host, host:port or URL of the API server; without a scheme it means https.'

export const configure = operation({
  kind: 'write',
  verb: 'POST',
  path: '/config',
  forwardable: true,
  summary: 'Sets the whole configuration: what is not given is as by default, a stored reviewer token included.',
  fields: {
    orchestrator_host: f.text(`Where tokens are reviewed: ${HOST}`).called('kubernetes_host'),
    orchestrator_ca_cert: f
      .text('PEM certificates that the API server is known by. Default: the local ones, inside an orchestrator.')
      .called('kubernetes_ca_cert')
      .default(''),
    token_reviewer_jwt: f
      .text('What reviews are authorised by. Default: the local token, inside an orchestrator; else the token that logs in.')
      .default(''),
    pem_keys: f.list('PEM public keys or certificates, of which one must have signed a token.').default([]),
    disable_local_ca_jwt: f.bool('Uses neither the local certificate nor the local token.').default(false),
    disable_iss_validation: f.bool('Whether the issuer of a token is not looked at.').deprecate().default(true),
    issuer: f.text('The issuer of tokens, where it is looked at. Default: `kubernetes/serviceaccount`.').deprecate().default(''),
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

/** The most keys: in the worst case a login tries all of them. */
const MAX_KEYS = 32

function validateConfig(tx: Tx, config: ConfigRecord): void {
  const { host, ca_cert, token_reviewer_jwt, pem_keys, disable_local_ca_jwt } = config
  if (host.length > LONGEST_HOST) throw invalid(`orchestrator_host: must be at most ${LONGEST_HOST} characters`)
  if (token_reviewer_jwt.length > LONGEST_REVIEWER_TOKEN)
    throw invalid(`token_reviewer_jwt: must be at most ${LONGEST_REVIEWER_TOKEN} characters`)
  if (pem_keys.length > MAX_KEYS) throw invalid(`pem_keys: must be at most ${MAX_KEYS} keys`)
  if (ca_cert !== '') checkAuthorities(ca_cert, 'orchestrator_ca_cert')
  verificationKeysOf(config, tx.env.crypto)
  if (ca_cert !== '' || pem_keys.length > 0) return
  const local = disable_local_ca_jwt ? null : localCa(tx)
  if (local === null || local === UNREADABLE)
    throw invalid('orchestrator_ca_cert: this or pem_keys must be given outside an orchestrator, or without its local defaults')
}

export const readConfig = operation({
  kind: 'read',
  verb: 'GET',
  path: '/config',
  summary: 'Shows the configuration, but for the reviewer token.',
  fields: {},
  returns: {
    orchestrator_host: f.text(`As it was written: ${HOST}`).called('kubernetes_host'),
    orchestrator_ca_cert: f.text('As it was written; never the local one.').called('kubernetes_ca_cert'),
    token_reviewer_jwt_set: f.bool('Whether there is a reviewer token.'),
    pem_keys: f.json<readonly string[]>('PEM public keys or certificates.', { type: 'array' }),
    disable_local_ca_jwt: f.bool('Whether the local defaults are not used.'),
    disable_iss_validation: f.bool('Whether the issuer is not looked at.').deprecate(),
    issuer: f.text('The issuer of tokens.').deprecate(),
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
