/** The hash of an ACL object's content: BLAKE2b-256 over its concatenated strings, as in Consul. */
import { encodeBase64 } from '../../core/base/base64.ts'
import { toUtf8 } from '../../core/base/bytes.ts'
import type { Steps } from '../../core/base/steps.ts'
import { contentHashSteps, contentHash as hashOf } from '../../core/crypto/content-hash.ts'
import type { ConfigTx } from '../call.ts'
import type { AclTokenRecord, Grants } from './records.ts'

/** Hashing this many characters takes 2 to 6 ms. Longer texts are hashed in steps, so that other callers may run in between. */
const MAX_SYNC_CHARACTERS = 32_768

/** Returns standard base64. Only for short content; transactions use {@link aclContentHashIn}. */
export const aclContentHash = (texts: readonly string[]): string => encodeBase64(hashOf(toUtf8(texts.join(''))))

/** Returns the same hash as {@link aclContentHash}, but computes it in steps if the content is long. */
export function aclContentHashIn(tx: ConfigTx, texts: readonly string[]): string {
  const text = texts.join('')
  return text.length <= MAX_SYNC_CHARACTERS ? aclContentHash([text]) : tx.steps(`hash of ${text}`, () => hashSteps(text))
}

function* hashSteps(text: string): Steps<string> {
  return encodeBase64(yield* contentHashSteps(toUtf8(text)))
}

/** All grants of a role or token as strings, in the order in which they are hashed. */
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

/** The mutable content of a token as strings, and whether it is local or global. */
export const tokenTexts = (token: Grants & Pick<AclTokenRecord, 'Description' | 'Local' | 'Roles'>): readonly string[] => [
  token.Description,
  token.Local ? 'local' : 'global',
  ...grantTexts({ ...token, Policies: [...token.Policies, ...token.Roles] }),
]
