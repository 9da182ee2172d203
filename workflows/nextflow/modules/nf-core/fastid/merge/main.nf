process FASTID_MERGE {
    tag "${meta.id}"
    label 'process_low'

    conda "${moduleDir}/environment.yml"
    container "fastid"

    input:
    tuple val(meta), path(parts), path(database), val(format)

    output:
    tuple val(meta), path("${prefix}.${format}"), emit: result
    path "versions.yml"                         , emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix   = task.ext.prefix ?: "${meta.id}"
    """
    fastid merge \\
        ${parts} \\
        ${args} \\
        --threads ${task.cpus} \\
        --progress never \\
        --format ${format} \\
        -o ${prefix}.${format}

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        fastid: \$(fastid --version | sed -n '1s/^fastid //p')
    END_VERSIONS
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch ${prefix}.${format}

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        fastid: \$(fastid --version | sed -n '1s/^fastid //p')
    END_VERSIONS
    """
}
