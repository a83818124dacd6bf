/**
 * Compares roles of the cloud engine with a simple reference model of the documented rules.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import fc from '../fixtures/fast-check.ts'
import { RUNS } from './support.ts'

let kernel: Kernel

beforeAll(async () => {
  kernel = await createDevKernel()
})
afterAll(() => kernel.close())

interface Body {
  readonly credential_type?: string
  readonly role_arns?: readonly string[]
  readonly policy_arns?: readonly string[]
  readonly policy_document?: string
  readonly iam_groups?: readonly string[]
  readonly iam_tags?: Readonly<Record<string, string>>
  readonly default_sts_ttl?: number
  readonly max_sts_ttl?: number
  readonly user_path?: string
  readonly permissions_boundary_arn?: string
}

interface Naive extends Required<Body> {
  readonly credential_type: string
}

const NOTHING: Naive = {
  credential_type: '',
  role_arns: [],
  policy_arns: [],
  policy_document: '',
  iam_groups: [],
  iam_tags: {},
  default_sts_ttl: 0,
  max_sts_ttl: 0,
  user_path: '',
  permissions_boundary_arn: '',
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function isPath(path: string): boolean {
  if (path === '/') return true
  if (path.length < 2 || path.length > 512 || !path.startsWith('/') || !path.endsWith('/')) return false
  return [...path].every((c) => c > ' ' && c <= '\x7f')
}

function isBoundary(arn: string): boolean {
  const [prefix, , service, , , resource] = arn.split(':')
  return prefix === 'arn' && service === 'iam' && (resource ?? '').startsWith('policy/')
}

/** The role after a request, or undefined if the request is refused. */
function naive(stored: Naive | undefined, body: Body): Naive | undefined {
  const role = { ...(stored ?? NOTHING), ...body }
  const type = role.credential_type
  const hasPolicy = role.policy_arns.length > 0 || role.policy_document !== ''
  if (role.policy_document !== '' && !isJson(role.policy_document)) return undefined
  if (type === 'iam_user') {
    if (role.role_arns.length > 0 || role.default_sts_ttl > 0 || role.max_sts_ttl > 0 || !hasPolicy) return undefined
    if (role.user_path !== '' && !isPath(role.user_path)) return undefined
    return role.permissions_boundary_arn === '' || isBoundary(role.permissions_boundary_arn) ? role : undefined
  }
  if (role.user_path !== '' || role.permissions_boundary_arn !== '') return undefined
  if (role.max_sts_ttl > 0 && role.default_sts_ttl > role.max_sts_ttl) return undefined
  if (type === 'assumed_role') return role.role_arns.length > 0 ? role : undefined
  if (type === 'federation_token') return hasPolicy && role.role_arns.length === 0 ? role : undefined
  return undefined
}

const texts = fc.array(fc.constantFrom('a', 'arn:aws:iam::1:role/x'), { maxLength: 2 })
const ttl = fc.constantFrom(0, 0, 900, 3600)

const bodies: fc.Arbitrary<Body> = fc.record(
  {
    credential_type: fc.constantFrom('iam_user', 'assumed_role', 'federation_token', 'cat', ''),
    role_arns: texts,
    policy_arns: texts,
    policy_document: fc.constantFrom('', '{}', '{"a":1}', '{'),
    iam_groups: texts,
    iam_tags: fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('', 'c')),
    default_sts_ttl: ttl,
    max_sts_ttl: ttl,
    user_path: fc.oneof(fc.constantFrom('', '', '/', '/a/', 'a'), fc.string({ maxLength: 4 })),
    permissions_boundary_arn: fc.constantFrom('', '', 'arn:aws:iam::aws:policy/b', 'arn:aws:s3::aws:policy/b', 'b'),
  },
  { requiredKeys: [] },
)

/** Requests that are usually accepted, so that later requests change an existing role. */
const good: fc.Arbitrary<Body> = fc.constantFrom<Body>(
  { credential_type: 'iam_user', policy_document: '{}' },
  { credential_type: 'assumed_role', role_arns: ['a'] },
  { credential_type: 'federation_token', policy_arns: ['a'], max_sts_ttl: 900 },
)

it('writes of cloud roles, by path or typed call, are accepted, refused and stored as by a reference model', async () => {
  let at = 0
  let accepted = 0
  let refused = 0
  const headers = { 'X-Service-Token': kernel.rootToken }
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(bodies, good), { minLength: 1, maxLength: 6 }), async (writes) => {
      const name = `r${at++}`
      let stored: Naive | undefined
      for (const [turn, body] of writes.entries()) {
        const next = naive(stored, body)
        const path = `/v1/cloud/roles/${name}`
        const ok =
          turn % 2 === 0
            ? await kernel.cloud.writeRole({ name, ...(body as object) }).then(
                () => true,
                (error: { status?: number }) => {
                  expect(error.status).toBe(400)
                  return false
                },
              )
            : (await kernel.handle({ method: 'POST', path, headers, body })).status === 204
        expect(ok, JSON.stringify({ stored, body })).toBe(next !== undefined)
        if (ok) accepted++
        else refused++
        stored = next ?? stored
        if (!stored) continue
        const { credential_type, credential_types, ...rest } = await kernel.cloud.readRole({ name })
        expect(credential_types).toEqual([credential_type])
        expect({
          ...rest,
          credential_type,
          role_arns: rest.role_arns ?? [],
          policy_arns: rest.policy_arns ?? [],
          iam_groups: rest.iam_groups ?? [],
          iam_tags: rest.iam_tags ?? {},
        }).toEqual(stored)
      }
    }),
    { numRuns: RUNS },
  )
  expect(accepted).toBeGreaterThan(RUNS / 2)
  expect(refused).toBeGreaterThan(RUNS / 2)
})
