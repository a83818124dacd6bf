// Summarizes a report of vitest (`--reporter=json`). Prints the numbers of passed, failed and skipped tests to standard output. Prints each failed test
// and each file that could not be loaded to standard error, with the first lines of the error; `.ci/run` repeats them at the end of its log.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'))
console.log(report.numPassedTests, report.numFailedTests, report.numPendingTests + (report.numTodoTests ?? 0))

for (const file of report.testResults) {
  const path = relative(process.cwd(), file.name)
  const failed = file.assertionResults.filter(({ status }) => status === 'failed')
  if (file.status === 'failed' && failed.length === 0) console.error(`${path}\n  ${firstWords(file.message)}`)
  for (const { fullName, failureMessages } of failed) console.error(`${path} > ${fullName}\n  ${firstWords(failureMessages[0])}`)
}

function firstWords(message) {
  return String(message ?? '')
    .trim()
    .split('\n', 6)
    .join('\n  ')
    .slice(0, 1_000)
}
