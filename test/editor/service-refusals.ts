/**
 * Calls of the configuration service that are refused, and how.
 */
import type { ConfigService } from '../../src/config-service.ts'

type Call = (service: ConfigService) => Promise<unknown>

const NONE = '11111111-1111-4111-8111-111111111111'

const GLOBAL_MANAGEMENT = '00000000-0000-0000-0000-000000000001'

export const SERVICE_CASES: readonly (readonly [surface: string, method: string, status: number, call: Call])[] = [
  ['AclPolicies', 'create', 400, ({ policies }) => policies.create({ Name: 'no spaces' })],
  ['AclPolicies', 'create', 400, ({ policies }) => policies.create({ Name: 'a', Rules: 'service {' })],
  ['AclPolicies', 'read', 404, ({ policies }) => policies.read({ ID: NONE })],
  ['AclPolicies', 'readByName', 404, ({ policies }) => policies.readByName({ Name: 'none' })],
  ['AclPolicies', 'update', 400, ({ policies }) => policies.update({ ID: NONE, Name: 'a' })],
  ['AclPolicies', 'delete', 400, ({ policies }) => policies.delete({ ID: GLOBAL_MANAGEMENT })],
]
