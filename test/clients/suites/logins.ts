/**
 * Workloads log in with Vault clients under Vault's names and paths. The server asks a fake API server.
 * `@litehex/node-vault` has no login call and uses its generic write call.
 */
import { Client } from '@litehex/node-vault'
import nodeVault, { type client as NodeVault } from 'node-vault'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { BOUND, jwtOf, KEYS, WEB } from '../../engines/orchestrator/world.ts'
import { startTokenReviewApi, type TokenReviewApi } from '../../fixtures/token-review-api.ts'
import type { Serving } from '../serve.ts'
import type { Servers } from '../servers.ts'

/** Defines tests with a new server for each of them. */
export function describeLogins(servers: Servers): void {
  let api: TokenReviewApi
  let server: Serving
  let root: string

  beforeEach(async () => {
    api = await startTokenReviewApi()
    server = await servers.uninitialized()
    const operator = nodeVault({ endpoint: server.endpoint })
    const { keys, root_token } = await operator.init({ secret_shares: 1, secret_threshold: 1 })
    await operator.unseal({ key: keys[0] })
    root = root_token
  })
  afterEach(async () => {
    await server.close()
    await api.close()
  })

  const POLICY = 'path "secret/web/*" { capabilities = ["create", "read", "update"] }'
  /** The PEM texts as the kernel returns them: trimmed. */
  const PEMS = KEYS.map((pem) => pem.trim())
  const OTHER = jwtOf({ ...WEB, name: 'api' })
  const METADATA = {
    role: 'web',
    service_account_name: WEB.name,
    service_account_namespace: WEB.namespace,
    service_account_secret_name: '',
    service_account_uid: WEB.uid,
  }

  /** Without a mount point the client omits the mount from its paths. */
  const AT = { mount_point: 'kubernetes' }

  const clientOf = (token?: string): NodeVault =>
    nodeVault({ endpoint: server.endpoint, ...(token === undefined ? {} : { token }) })
  const failure = (call: Promise<unknown>) =>
    call.then(
      () => 'answered',
      (error: { message: string; response?: { statusCode: number } }) => `${error.response?.statusCode} ${error.message}`,
    )

  it('node-vault configures an auth method, and logs in and renews the token', async () => {
    const operator = clientOf(root)
    await operator.enableAuth({ mount_point: 'kubernetes', type: 'kubernetes' })
    expect((await operator.auths())['kubernetes/']).toMatchObject({ type: 'kubernetes' })
    await operator.write('auth/kubernetes/config', { kubernetes_host: api.url, pem_keys: PEMS })
    const { data: config } = await operator.read('auth/kubernetes/config')
    expect(config).toMatchObject({ kubernetes_host: api.url, kubernetes_ca_cert: '', pem_keys: PEMS })
    await operator.addPolicy({ name: 'web', rules: POLICY })
    // The client's own call for a role fails before it sends a request, so use the generic write call.
    await operator.write('auth/kubernetes/role/web', { ...BOUND, policies: ['web'], ttl: 600, max_ttl: 3600 })
    expect((await operator.getKubernetesRole({ ...AT, role_name: 'web' })).data).toMatchObject({
      ...BOUND,
      policies: ['web'],
      ttl: 600,
      max_ttl: 3600,
    })
    expect((await operator.list('auth/kubernetes/role')).data).toEqual({ keys: ['web'] })

    const workload = clientOf()
    const jwt = jwtOf()
    const { auth } = await workload.kubernetesLogin({ ...AT, role: 'web', jwt })
    expect(auth).toMatchObject({ policies: ['default', 'web'], metadata: METADATA, lease_duration: 600, renewable: true })
    expect(api.requests.at(-1)?.body.spec.token).toBe(jwt)
    // The client uses the token of the login from here.
    expect(workload.token).toBe(auth.client_token)
    await workload.write('secret/web/db', { user: 'u' })
    expect((await workload.read('secret/web/db')).data).toEqual({ user: 'u' })
    expect(await failure(workload.read('secret/other'))).toMatch(/^403 1 error occurred:\s+\* permission denied/)
    expect((await workload.tokenLookupSelf()).data).toMatchObject({
      display_name: `kubernetes-${WEB.namespace}-${WEB.name}`,
      entity_id: auth.entity_id,
      meta: METADATA,
      path: 'auth/kubernetes/login',
      policies: ['default', 'web'],
    })
    const renewed = await workload.tokenRenewSelf({ increment: 1200 })
    expect(renewed.auth).toMatchObject({ client_token: auth.client_token, lease_duration: 1200, metadata: METADATA })

    expect(await failure(clientOf().kubernetesLogin({ ...AT, role: 'web', jwt: OTHER }))).toBe('403 permission denied')
    expect(await failure(clientOf().kubernetesLogin({ ...AT, role: 'api', jwt }))).toMatch(/^400 .*invalid role name "api"/)
    await operator.deleteKubernetesRole({ ...AT, role_name: 'web' })
    expect(await failure(workload.tokenRenewSelf({}))).toMatch(/^400 .*role/)
    expect((await workload.read('secret/web/db')).data).toEqual({ user: 'u' })
    await operator.disableAuth({ mount_point: 'kubernetes' })
    expect(await failure(workload.read('secret/web/db'))).toMatch(/^403 /)
  })

  it('@litehex/node-vault configures an auth method, and logs in and renews the token', async () => {
    type Answer = { readonly auth: Record<string, unknown>; readonly data: Record<string, unknown> }
    const ok = async (call: Promise<{ data?: unknown; error?: unknown }>): Promise<Answer> => {
      const { data, error } = await call
      if (error) throw Object.assign(new Error(String(error)), { cause: (error as Error).cause })
      return data as Answer
    }
    const operator = new Client({ endpoint: server.endpoint, token: root })
    await ok(operator.write({ path: 'sys/auth/kubernetes', data: { type: 'kubernetes' } }))
    await ok(operator.write({ path: 'auth/kubernetes/config', data: { kubernetes_host: api.url, pem_keys: PEMS } }))
    expect((await ok(operator.read({ path: 'auth/kubernetes/config' }))).data).toMatchObject({ kubernetes_host: api.url })
    await ok(operator.write({ path: 'sys/policies/acl/web', data: { policy: POLICY } }))
    const role = {
      bound_service_account_names: WEB.name,
      bound_service_account_namespaces: WEB.namespace,
      token_policies: 'web',
      token_ttl: '10m',
    }
    await ok(operator.write({ path: 'auth/kubernetes/role/web', data: role }))

    const login = { path: 'auth/kubernetes/login', data: { role: 'web', jwt: jwtOf() } }
    const { auth } = await ok(new Client({ endpoint: server.endpoint }).write(login))
    expect(auth).toMatchObject({ policies: ['default', 'web'], metadata: METADATA, lease_duration: 600 })
    const workload = new Client({ endpoint: server.endpoint, token: auth['client_token'] as string })
    await ok(workload.kv.write({ mountPath: 'secret', path: 'web/mail', data: { password: 'p' } }))
    expect((await ok(workload.read({ path: 'secret/web/mail' }))).data).toEqual({ password: 'p' })
    expect((await ok(workload.read({ path: 'auth/token/lookup-self' }))).data).toMatchObject({ meta: METADATA })
    expect((await ok(workload.write({ path: 'auth/token/renew-self', data: {} }))).auth).toMatchObject({ lease_duration: 600 })
    const refused = await new Client({ endpoint: server.endpoint }).write({
      ...login,
      data: { role: 'web', jwt: OTHER },
    })
    expect((refused.error as Error).message).toBe('permission denied')
  })
}
