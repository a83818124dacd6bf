/** Password policies and generated passwords. */
import {
  deletePasswordPolicy,
  generatePassword,
  listPasswordPolicies,
  readPasswordPolicy,
  writePasswordPolicy,
} from './operations.ts'

/** Of two matching paths the first one counts, so the longer one comes first. */
export const passwordOperations = {
  generatePassword,
  readPasswordPolicy,
  writePasswordPolicy,
  deletePasswordPolicy,
  listPasswordPolicies,
}
