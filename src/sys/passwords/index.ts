/**
 * Password policies, and passwords.
 */
import {
  deletePasswordPolicy,
  generatePassword,
  listPasswordPolicies,
  readPasswordPolicy,
  writePasswordPolicy,
} from './operations.ts'

/** Where two paths fit a request the first one counts, so the longer one comes first. */
export const passwordOperations = {
  generatePassword,
  readPasswordPolicy,
  writePasswordPolicy,
  deletePasswordPolicy,
  listPasswordPolicies,
}
