/**
 * Policy documents as AWS judges them: an object with a Statement, and not too large.
 */
import { AwsRefusal } from './refusal.ts'

const LONGEST = 2048

function judge(document: string): void {
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

/** @throws AwsRefusal */
export function validateUserPolicy(document: string): void {
  judge(document)
  if (document.replaceAll(/\s/g, '').length > LONGEST)
    throw new AwsRefusal('LimitExceeded', `Maximum policy size of ${LONGEST} bytes exceeded for the user`)
}

/** @throws AwsRefusal */
export function validateSessionPolicy(document: string): void {
  judge(document)
  if (document.length > LONGEST) throw new AwsRefusal('PackedPolicyTooLarge')
}
