import { defineSuite } from 'agent-bench'

export default defineSuite({ title: 'Work in a repository' })
