import { defineSuite } from 'agent-bench'

export default defineSuite({
  title: 'Work in a workspace',
  description: 'Ordinary work with the files of a small company, with five plain tools.',
  byDefault: false,
})
