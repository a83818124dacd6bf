// When the methods of the configuration service refuse, by status, beside what every method does. Read off the operations.

const RULES = 'when `Rules` cannot be read'
const NAMED = (thing) => `when \`Name\` is missing, malformed or the name of another ${thing}`
const ABSENT = (thing) => `when there is no such ${thing}.`

const POLICY_CONTENT = `${NAMED('policy')}, ${RULES}, and when \`Datacenters\` holds what is no name of one.`

export const POLICIES = {
  create: { 400: `${POLICY_CONTENT.slice(0, -1)}, and when an \`ID\` is given.` },
  read: { 404: ABSENT('policy') },
  readByName: { 404: ABSENT('policy') },
  update: {
    400: `when there is no such policy, ${POLICY_CONTENT.slice(0, -1)}, and when rules or datacenters of a built-in policy would change.`,
  },
  delete: { 400: 'when it is a built-in policy.' },
  list: {},
}
