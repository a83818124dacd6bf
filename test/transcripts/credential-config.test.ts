import '../fixtures/loaded-curves.ts'
import { expect, it } from 'vitest'
import { nobleCrypto } from '../../src/core/crypto/noble/index.ts'
import {
  type CredentialInput,
  type CredentialSettings,
  mergeCredential,
  redactedConfig,
} from '../../src/engines/database/credential/index.ts'
import { seededEntropy } from '../../src/testing/index.ts'
import { describeIfShared, readSharedJson } from '../fixtures/shared-data.ts'

const FILE = 'transcripts/openbao/database/roles-credentials.json'

interface Step {
  readonly request?: { readonly method: string; readonly path: string; readonly body?: CredentialInput }
  readonly response: { readonly status: number; readonly body: { readonly data: Data } }
  readonly differs?: { readonly status?: number; readonly at?: Readonly<Record<string, unknown>> }
}
type Data = { readonly credential_type: string; readonly credential_config?: Readonly<Record<string, unknown>> }

// The slow tier replays the whole file on PostgreSQL and marks it as used.
describeIfShared(FILE, 'recorded credential_config parameters', () => {
  it('of a database role are accepted, refused and returned as OpenBao did in the recording', () => {
    const env = { crypto: nobleCrypto(), entropy: seededEntropy(1) }
    const { steps } = readSharedJson<{ readonly steps: readonly Step[] }>(FILE)
    const stored = new Map<string, CredentialSettings>()
    const seen = { taken: 0, refused: 0, read: 0 }
    for (const { request, response, differs } of steps) {
      const [, role] = /^db\/roles\/(.+)$/.exec(request?.path ?? '') ?? []
      if (!request || role === undefined) continue
      if (request.method === 'GET') {
        seen.read++
        const expected = { ...response.body.data.credential_config }
        for (const [pointer, value] of Object.entries(differs?.at ?? {})) {
          const name = pointer.slice('/data/credential_config/'.length)
          if (typeof value === 'object') delete expected[name]
          else expected[name] = value
        }
        const settings = stored.get(role) as CredentialSettings
        expect(redactedConfig(settings)).toEqual(expected)
        expect(settings.credential_type).toBe(response.body.data.credential_type)
        continue
      }
      const { credential_type, credential_config } = request.body as CredentialInput
      const write = () => mergeCredential(env, stored.get(role), { credential_type, credential_config }, 0)
      if ((differs?.status ?? response.status) === 400) {
        seen.refused++
        expect(write, JSON.stringify(request.body)).toThrow(/^credential_config: /)
      } else {
        seen.taken++
        stored.set(role, write())
      }
    }
    expect(seen).toEqual({ taken: 10, refused: 14, read: 9 })
  })
})
