from ludus.cli import main

main()
