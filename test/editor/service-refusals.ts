/**
 * Calls of the configuration service that are refused, and how.
 */
import type { ConfigService } from '../../src/config-service.ts'

type Call = (service: ConfigService) => Promise<unknown>

const NONE = '11111111-1111-4111-8111-111111111111'

const GLOBAL_MANAGEMENT = '00000000-0000-0000-0000-000000000001'

const ANONYMOUS = '00000000-0000-0000-0000-000000000002'

const noLink = [{ Name: 'none' }]

const tokenAt = async ({ tokens }: ConfigService): Promise<string> => (await tokens.create()).SecretID

/** A caller without a token. */
const forStranger = (service: ConfigService) => service.as('').entries

export const SERVICE_CASES: readonly (readonly [surface: string, method: string, status: number, call: Call])[] = [
  ['AclDecisions', 'bootstrap', 400, ({ acl }) => acl.bootstrap({ BootstrapSecret: 'none' })],
  ['AclDecisions', 'bootstrap', 403, ({ acl }) => acl.bootstrap().then(() => acl.bootstrap())],
  ['AclDecisions', 'authorizeMany', 400, ({ acl }) => acl.authorizeMany({ requests: [{ Resource: 'none', Access: 'read' }] })],
  ['AclDecisions', 'authorize', 400, ({ acl }) => acl.authorize({ permission: 'none:read' as 'acl:read' })],
  ['AclDecisions', 'authorize', 403, ({ acl }) => acl.authorize({ permission: 'acl:read', token: NONE })],
  ['AclDecisions', 'explain', 400, ({ acl }) => acl.explain({ permission: 'none:read' as 'acl:read' })],
  ['AclDecisions', 'explain', 403, ({ acl }) => acl.explain({ permission: 'acl:read', token: NONE })],
  ['AclPolicies', 'create', 400, ({ policies }) => policies.create({ Name: 'no spaces' })],
  ['AclPolicies', 'create', 400, ({ policies }) => policies.create({ Name: 'a', Rules: 'service {' })],
  ['AclPolicies', 'read', 404, ({ policies }) => policies.read({ ID: NONE })],
  ['AclPolicies', 'readByName', 404, ({ policies }) => policies.readByName({ Name: 'none' })],
  ['AclPolicies', 'update', 400, ({ policies }) => policies.update({ ID: NONE, Name: 'a' })],
  ['AclPolicies', 'delete', 400, ({ policies }) => policies.delete({ ID: GLOBAL_MANAGEMENT })],
  ['AclTokens', 'create', 400, ({ tokens }) => tokens.create({ Policies: noLink })],
  ['AclTokens', 'create', 400, ({ tokens }) => tokens.create({ ExpirationTTL: '30s' })],
  ['AclTokens', 'create', 400, ({ tokens }) => tokens.create({ SecretID: 'none' })],
  ['AclTokens', 'readSelf', 403, ({ tokens }) => tokens.readSelf()],
  ['AclTokens', 'read', 404, ({ tokens }) => tokens.read({ AccessorID: NONE })],
  ['AclTokens', 'update', 400, ({ tokens }) => tokens.update({ AccessorID: NONE })],
  ['AclTokens', 'update', 400, ({ tokens }) => tokens.update({ AccessorID: ANONYMOUS, Local: true })],
  ['AclTokens', 'clone', 404, ({ tokens }) => tokens.clone({ AccessorID: NONE })],
  ['AclTokens', 'delete', 400, ({ tokens }) => tokens.delete({ AccessorID: ANONYMOUS })],
  ['AclRoles', 'create', 400, ({ roles }) => roles.create({ Name: 'a', Policies: noLink })],
  ['AclRoles', 'create', 400, ({ roles }) => roles.create({ Name: 'a', ServiceIdentities: [{ ServiceName: 'A' }] })],
  ['AclRoles', 'read', 404, ({ roles }) => roles.read({ ID: NONE })],
  ['AclRoles', 'readByName', 404, ({ roles }) => roles.readByName({ Name: 'none' })],
  ['AclRoles', 'update', 400, ({ roles }) => roles.update({ ID: NONE, Name: 'a' })],
  ['TemplatedPolicies', 'readByName', 400, (s) => s.templatedPolicies.readByName({ TemplateName: 'none' })],
  ['TemplatedPolicies', 'preview', 400, (s) => s.templatedPolicies.preview({ TemplateName: 'builtin/service' })],
  ['AuthMethods', 'create', 400, ({ authMethods }) => authMethods.create({ Name: 'a', Type: 'none' })],
  ['AuthMethods', 'read', 404, ({ authMethods }) => authMethods.read({ Name: 'none' })],
  ['AuthMethods', 'update', 400, ({ authMethods }) => authMethods.update({ Name: 'none', Type: 'jwt' })],
  ['BindingRules', 'create', 400, (s) => s.bindingRules.create({ AuthMethod: 'none', BindType: 'service', BindName: 'a' })],
  ['BindingRules', 'read', 404, ({ bindingRules }) => bindingRules.read({ ID: NONE })],
  ['BindingRules', 'update', 400, ({ bindingRules }) => bindingRules.update({ ID: NONE })],
  ['BindingRules', 'evaluate', 404, ({ bindingRules }) => bindingRules.evaluate({ auth_method: 'none', identity: {} })],
  ['ConfigEntries', 'apply', 400, ({ entries }) => entries.apply({ Kind: 'service-resolver' })],
  ['ConfigEntries', 'apply', 403, ({ entries }) => entries.apply({ Kind: 'bound-api-gateway', Name: 'a' })],
  ['ConfigEntries', 'apply', 413, ({ entries }) => entries.apply(Array.from({ length: 101 }, () => ({ Kind: 'mesh' })))],
  ['ConfigEntries', 'get', 400, ({ entries }) => entries.get({ Kind: 'none' as 'mesh', Name: 'a' })],
  ['ConfigEntries', 'get', 403, async (service) => forStranger(service).get({ Kind: 'service-defaults', Name: 'a' })],
  ['ConfigEntries', 'get', 404, ({ entries }) => entries.get({ Kind: 'mesh', Name: 'mesh' })],
  ['ConfigEntries', 'list', 400, ({ entries }) => entries.list({ Kind: 'mesh', filter: 'none ==' })],
  ['ConfigEntries', 'delete', 400, ({ entries }) => entries.delete({ Kind: 'none' as 'mesh', Name: 'a' })],
  ['ConfigEntries', 'delete', 403, async (service) => forStranger(service).delete({ Kind: 'mesh', Name: 'mesh' })],
  ['AclLogins', 'login', 400, (service) => service.login({ AuthMethod: 'none' })],
  ['AclLogins', 'login', 403, (service) => service.login({ AuthMethod: 'none', BearerToken: 'none' })],
  ['AclLogins', 'logout', 401, (service) => service.logout()],
  ['AclLogins', 'logout', 403, async (service) => service.as(await tokenAt(service)).logout()],
]
