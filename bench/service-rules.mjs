/**
 * Rules of the configuration service, as many as a measurement wants.
 */

/** Half of the rules on services and half on keys; half of each on a name and half on a prefix. */
export const ruleOf = (i) =>
  [
    `service "team-${i}-web" { policy = "write" }`,
    `service_prefix "team-${i}-" { policy = "read" intentions = "write" }`,
    `key "config/team-${i}/main" { policy = "read" }`,
    `key_prefix "config/team-${i}/" { policy = "write" }`,
  ][i % 4]
