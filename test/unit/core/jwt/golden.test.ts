/** Verdicts that a live server recorded for tokens and keys. */

import { describe, expect, it } from 'vitest'
import { loginRefusal } from '../../../../src/core/contract/login-refusal.ts'
import { nobleCrypto } from '../../../../src/core/crypto/noble/index.ts'
import { checkAudience, checkUid, serviceAccountOf } from '../../../../src/core/jwt/claims.ts'
import { parseJwt } from '../../../../src/core/jwt/jwt.ts'
import { checkTimes } from '../../../../src/core/jwt/times.ts'
import { VerificationKeys } from '../../../../src/core/jwt/verification-keys.ts'
import { describeGolden, golden, goldenPresent } from '../../../engines/golden/load.ts'
import { BACKENDS } from '../../../fixtures/backends.ts'
import { verifiesSoon } from './verifies.ts'

interface Golden {
  readonly sets: Readonly<Record<string, readonly string[]>>
  readonly refused_pem_keys: Readonly<Record<string, string>>
  readonly tokens: readonly {
    readonly what: string
    readonly pem_keys: string
    readonly role: 'web' | 'aud'
    readonly jwt: string
    readonly signature: 'good' | 'bad'
    readonly status: number
    readonly metadata?: Readonly<Record<string, string>>
  }[]
}

const { sets, refused_pem_keys, tokens }: Golden = goldenPresent
  ? golden('orchestrator-jwt')
  : { sets: {}, refused_pem_keys: {}, tokens: [] }

/** Each token in the file is valid either from 2020 to 2099 or until 2020 only. */
const NOW = 1_800_000_000_000

/** Both roles of the file allow service account `web` in namespace `prod`; `aud` also requires the audience strongroom. */
async function letIn(jwt: string, keys: VerificationKeys, role: 'web' | 'aud') {
  const token = parseJwt(jwt)
  if (!(await verifiesSoon(token, keys))) return undefined
  checkAudience(token.claims, role === 'aud' ? 'strongroom' : '')
  checkTimes(token.claims, NOW)
  const account = serviceAccountOf(token.claims)
  checkUid(account)
  return account.name === 'web' && account.namespace === 'prod' ? account : undefined
}

/** Returns undefined for a login that is refused with 403. */
async function orRefused<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (loginRefusal(error) === undefined) throw error
    return undefined
  }
}

describeGolden('orchestrator-jwt', 'golden Kubernetes tokens and keys', () => {
  describe.each(BACKENDS)('Kubernetes tokens verified by $name', (crypto) => {
    it.each(tokens)(
      'are accepted or refused as recorded: $what',
      async ({ what, pem_keys, jwt, role, signature, status, metadata }) => {
        const keys = VerificationKeys.of(sets[pem_keys] ?? [], 'pem_keys', crypto)
        // A token that is refused before signature verification has no verified signature.
        const unread = what === 'an unknown critical header'
        expect((await orRefused(async () => verifiesSoon(parseJwt(jwt), keys))) ?? false).toBe(signature === 'good' && !unread)
        const account = await orRefused(() => letIn(jwt, keys, role))
        expect(account !== undefined).toBe(status === 200)
        if (metadata)
          expect(account).toEqual({
            name: metadata['service_account_name'],
            namespace: metadata['service_account_namespace'],
            uid: metadata['service_account_uid'],
            secretName: metadata['service_account_secret_name'],
          })
      },
    )
  })

  it.each(Object.entries(refused_pem_keys))('are refused as recorded: key %s', (_, pem) => {
    expect(() => VerificationKeys.of([pem], 'pem_keys', nobleCrypto())).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringContaining('pem_keys') }),
    )
  })
})
