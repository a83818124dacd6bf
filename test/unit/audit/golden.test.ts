/**
 * An OpenBao server wrote each entry twice: in clear text and hashed. Hashing the clear entries with the recorded salt must reproduce the
 * hashed ones.
 */
import { expect, it } from 'vitest'
import { hashedText, SaltedHasher } from '../../../src/core/audit/hashing.ts'
import { nobleCrypto } from '../../../src/core/crypto/noble/index.ts'
import { describeWithShared, hasSharedData, readSharedJson } from '../../fixtures/shared-data.ts'

const FILE = 'transcripts/openbao/golden/audit-entries.json'

interface Golden {
  readonly salt: string
  readonly values: Readonly<Record<string, string>>
  readonly non_hmac: Readonly<Record<string, { readonly request: readonly string[]; readonly response: readonly string[] }>>
  readonly headers: Readonly<Record<string, { readonly hmac: boolean }>>
  readonly entries: readonly { readonly what: string; readonly plain: Entry; readonly hashed: Entry }[]
}
type Members = Record<string, unknown>
interface Entry {
  readonly auth?: Members
  readonly request: Members & { readonly mount_point?: string; readonly headers?: Readonly<Record<string, readonly string[]>> }
  readonly response?: Members & { readonly auth?: Members; readonly wrap_info?: Members; readonly data?: Members }
}

const golden = hasSharedData(FILE)
  ? readSharedJson<Golden>(FILE)
  : { entries: [], values: {}, salt: '', non_hmac: {}, headers: {} }
const hasher = new SaltedHasher(nobleCrypto().hmac('sha2-256', new TextEncoder().encode(golden.salt)))

const hashData = (data: object, clear: readonly string[]): unknown => {
  const steps = hashedText(data, hasher, clear)
  let step = steps.next()
  while (!step.done) step = steps.next()
  return JSON.parse(step.value)
}

const hashMembers = (members: Members | undefined, names: readonly string[]): Members =>
  Object.fromEntries(
    Object.entries(members ?? {}).map(([name, value]) => [name, names.includes(name) ? hasher.text(value as string) : value]),
  )

function hashed({ plain }: Golden['entries'][number]): Members {
  const { request, response, auth } = plain
  const clear = golden.non_hmac[request.mount_point ?? ''] ?? { request: [], response: [] }
  const headers = Object.entries(request.headers ?? {}).map(([name, values]) => [
    name,
    golden.headers[name]?.hmac ? values.map((value) => hasher.text(value)) : values,
  ])
  return {
    ...plain,
    auth: hashMembers(auth, ['client_token', 'accessor']),
    request: {
      ...hashMembers(request, ['client_token', 'client_token_accessor']),
      ...(request['data'] ? { data: hashData(request['data'], clear.request) } : {}),
      ...(request.headers ? { headers: Object.fromEntries(headers) } : {}),
    },
    ...(response
      ? {
          response: {
            ...response,
            ...(response.auth ? { auth: hashMembers(response.auth, ['client_token', 'accessor']) } : {}),
            ...(response.data ? { data: hashData(response.data, clear.response) } : {}),
            ...(response.wrap_info
              ? { wrap_info: hashMembers(response.wrap_info, ['token', 'accessor', 'wrapped_accessor']) }
              : {}),
          },
        }
      : {}),
  }
}

describeWithShared(FILE, 'audit hashing of recorded OpenBao entries', () => {
  it('computes the HMACs that OpenBao recorded for single values', () => {
    expect(Object.keys(golden.values).length).toBeGreaterThan(3)
    for (const [value, hash] of Object.entries(golden.values)) expect(hasher.text(value)).toBe(hash)
  })

  it.each(golden.entries.map((entry) => [entry.what, entry] as const))(
    'computes the hashed entry that OpenBao recorded for %s',
    (_, entry) => {
      const { time: _time, ...expected } = entry.hashed as unknown as Members
      expect(hashed(entry)).toMatchObject(expected)
    },
  )
})
