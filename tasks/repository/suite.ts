import { defineSuite } from 'agent-bench'

export default defineSuite({
  title: 'Work in a repository',
  description: 'Repairs and additions in a small Python repository with five plain tools.',
  byDefault: false,
})
