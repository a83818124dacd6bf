/** An empty list means that nothing is restricted, so blank names must never empty a list that restricts something. */
import { expect, it } from 'vitest'
import { createDevKernel, type Kernel } from '../../src/index.ts'
import { EVERY_OPERATION } from '../fixtures/every-operation.ts'

/** Names of parameters that restrict something. */
const RESTRICTS = /^(allowed_|disallowed_|bound_|token_bound_|role_arns$|policy_arns$|iam_groups$|deployment_environments$)/

interface Restriction {
  readonly path: string
  /** Other parameters that the request needs. */
  readonly otherParameters?: object
  /** An empty list allows nothing, so it is safe. */
  readonly closesWhenEmpty?: true
}

const TOKEN_ROLE: Restriction = { path: 'auth/token/roles/r' }
/** Blank names are kept, as in OpenBao, and still restrict: test/engines/cloud/session-limits.test.ts. */
const CLOUD_ROLE: Restriction = { path: 'cloud/roles/r', closesWhenEmpty: true }
const ORCHESTRATOR_ROLE: Restriction = {
  path: 'auth/orchestrator/role/r',
  otherParameters: { bound_service_account_names: ['a'], bound_service_account_namespaces: ['b'] },
}

/** By operation and parameter. */
const RESTRICTIONS: Readonly<Record<string, Restriction>> = {
  'token writeRole allowed_policies': TOKEN_ROLE,
  'token writeRole disallowed_policies': TOKEN_ROLE,
  'token writeRole allowed_policies_glob': TOKEN_ROLE,
  'token writeRole disallowed_policies_glob': TOKEN_ROLE,
  'token writeRole allowed_entity_aliases': { ...TOKEN_ROLE, closesWhenEmpty: true },
  'token writeRole token_bound_cidrs': TOKEN_ROLE,
  'token writeRole bound_cidrs': TOKEN_ROLE,
  'orchestrator writeRole bound_service_account_names': ORCHESTRATOR_ROLE,
  'orchestrator writeRole bound_service_account_namespaces': ORCHESTRATOR_ROLE,
  'orchestrator writeRole token_bound_cidrs': ORCHESTRATOR_ROLE,
  'orchestrator writeRole bound_cidrs': ORCHESTRATOR_ROLE,
  'cloud writeRole role_arns': CLOUD_ROLE,
  'cloud writeRole policy_arns': CLOUD_ROLE,
  'cloud writeRole iam_groups': CLOUD_ROLE,
  'database writeConnection allowed_roles': { path: 'database/config/c', closesWhenEmpty: true },
  'system tuneMount allowed_response_headers': { path: 'sys/mounts/secret/tune', closesWhenEmpty: true },
  'system tuneAuthMethod allowed_response_headers': { path: 'sys/auth/token/tune', closesWhenEmpty: true },
  'system tuneAuthMethodAsMount allowed_response_headers': { path: 'sys/mounts/auth/token/tune', closesWhenEmpty: true },
  'system writeWebhostProject deployment_environments': {
    path: 'sys/sync/destinations/webhost-project/w',
    closesWhenEmpty: true,
  },
}

const BLANKS = [[''], [' '], ['', ''], ['\t'], ' ', ',', ' , ', ['', ' ']]

const writing = EVERY_OPERATION.flatMap(({ title, operation, fields }) =>
  operation.verb === 'POST' || operation.verb === 'PUT'
    ? Object.keys(fields)
        .filter((name) => RESTRICTS.test(name))
        .map((name) => `${title} ${name}`)
    : [],
)

it('the table of this test contains every parameter that restricts access', () => {
  expect(Object.keys(RESTRICTIONS).sort()).toEqual([...new Set(writing)].sort())
})

async function post(kernel: Kernel, path: string, body: object): Promise<readonly [number, string]> {
  const headers = { 'X-Service-Token': kernel.rootToken ?? '' }
  const { status, body: answer } = await kernel.handle({ method: 'POST', path: `/v1/${path}`, headers, body })
  return [status, JSON.stringify(answer)]
}

it('a parameter that restricts access is refused if it contains only blank names, for new and existing records', async () => {
  const kernel = await createDevKernel()
  for (const [title, { path, otherParameters, closesWhenEmpty }] of Object.entries(RESTRICTIONS)) {
    if (closesWhenEmpty) continue
    const name = title.split(' ').at(-1) as string
    for (const blank of BLANKS)
      for (const at of [`${path}1`, `${path}2`]) {
        if (at.endsWith('2'))
          await post(kernel, at, { ...otherParameters, [name]: /cidrs/.test(name) ? ['10.0.0.0/8'] : ['kept'] })
        const [status, text] = await post(kernel, at, { ...otherParameters, [name]: blank })
        expect([title, blank, status, text]).toEqual([title, blank, 400, expect.stringContaining(name)])
      }
  }
  await kernel.close()
})
