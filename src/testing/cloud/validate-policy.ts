import { AwsRefusal } from './refusal.ts'

const MAX_POLICY_CHARACTERS = 2048

function assertPolicy(document: string): void {
  let parsed: unknown
  try {
    parsed = JSON.parse(document)
  } catch {
    throw new AwsRefusal('MalformedPolicyDocument', 'Syntax errors in policy.')
  }
  const statement = typeof parsed === 'object' && parsed !== null ? (parsed as { Statement?: unknown }).Statement : undefined
  if (typeof statement !== 'object' || statement === null)
    throw new AwsRefusal('MalformedPolicyDocument', 'Syntax errors in policy.')
}

/** Validates an inline policy of a user. White space does not count toward its size limit. @throws AwsRefusal if it is invalid. */
export function validateUserPolicy(document: string): void {
  assertPolicy(document)
  if (document.replaceAll(/\s/g, '').length > MAX_POLICY_CHARACTERS)
    throw new AwsRefusal('LimitExceeded', `Maximum policy size of ${MAX_POLICY_CHARACTERS} bytes exceeded for the user`)
}

/** Validates a session policy. White space counts toward its size limit. @throws AwsRefusal if it is invalid. */
export function validateSessionPolicy(document: string): void {
  assertPolicy(document)
  if (document.length > MAX_POLICY_CHARACTERS) throw new AwsRefusal('PackedPolicyTooLarge')
}
