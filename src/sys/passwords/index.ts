import {
  deletePasswordPolicy,
  generatePassword,
  listPasswordPolicies,
  readPasswordPolicy,
  writePasswordPolicy,
} from './operations.ts'

/** If two paths match, the first operation wins, so the longer path comes first. */
export const passwordOperations = {
  generatePassword,
  readPasswordPolicy,
  writePasswordPolicy,
  deletePasswordPolicy,
  listPasswordPolicies,
}
