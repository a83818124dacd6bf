/**
 * The hash of an ACL object's content: BLAKE2b-256 over its texts one after the other (source: behaviour of the originals).
 */
import { encodeBase64 } from '../../core/base/base64.ts'
import { toUtf8 } from '../../core/base/bytes.ts'
import { contentHash as hashOf } from '../../core/crypto/content-hash.ts'
import type { Grants, TokenRecord } from './records.ts'

/** Standard base64. */
export const contentHash = (texts: readonly string[]): string => encodeBase64(hashOf(toUtf8(texts.join(''))))

/** The texts of everything that a role or a token grants, in the order in which they are hashed. */
export const grantTexts = ({ Policies, ServiceIdentities, NodeIdentities, TemplatedPolicies }: Grants): readonly string[] => [
  ...Policies.map(({ ID }) => ID),
  ...ServiceIdentities.flatMap(({ ServiceName, Datacenters = [] }) => [ServiceName, ...Datacenters]),
  ...NodeIdentities.flatMap(({ NodeName, Datacenter }) => [NodeName, Datacenter]),
  ...TemplatedPolicies.flatMap(({ TemplateID, TemplateName, TemplateVariables, Datacenters = [] }) => [
    TemplateID,
    TemplateName,
    TemplateVariables?.name ?? '',
    ...Datacenters,
  ]),
]

/** Of what can be changed in a token, and of where it counts. */
export const tokenHash = (token: Grants & Pick<TokenRecord, 'Description' | 'Local' | 'Roles'>): string =>
  contentHash([
    token.Description,
    token.Local ? 'local' : 'global',
    ...grantTexts({ ...token, Policies: [...token.Policies, ...token.Roles] }),
  ])
