/** A path_suffix must contain a valid name, as in Vault. */
import { expect, it } from 'vitest'
import { createDevKernel } from '../../../../src/index.ts'
import { ask } from './support.ts'

it.each([
  ['abc', 204],
  ['a-b', 204],
  ['a.b.c', 204],
  ['/abc', 204],
  ['abc/', 204],
  ['of/team/a', 204],
  ['-x-team', 204],
  ['two words', 204],
  ['', 204],
  ['-x', 400],
  ['ab', 400],
  ['a/b/c', 400],
  ['a..b', 400],
  ['team/../x', 400],
])('a token role with path_suffix %j is answered with %i', async (path_suffix, status) => {
  await using kernel = await createDevKernel()
  expect((await ask(kernel, 'POST', 'auth/token/roles/r', { path_suffix, allowed_policies: ['default'] })).status).toBe(status)
  if (status !== 204) return
  expect((await ask(kernel, 'GET', 'auth/token/roles/r')).body.data.path_suffix).toBe(path_suffix)
  const made = await ask(kernel, 'POST', 'auth/token/create/r', {})
  const { data } = (await ask(kernel, 'POST', 'auth/token/lookup', { token: made.body.auth.client_token })).body
  expect(data.path).toBe(path_suffix === '' ? 'auth/token/create/r' : `auth/token/create/r/${path_suffix}`)
  expect((await ask(kernel, 'POST', 'sys/leases/revoke-prefix/auth/token/create/r', {})).status).toBe(204)
  expect((await ask(kernel, 'POST', 'auth/token/lookup', { token: made.body.auth.client_token })).status).toBe(403)
})
